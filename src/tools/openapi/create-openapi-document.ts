import { OPERATIONS } from "../../library/catalogue/index.ts";
import { defineProfile, type Profile } from "../../library/catalogue/profile.ts";
import { assertKnownKeys } from "../../library/check-options.ts";
import { type Route, routesOf } from "../routes.ts";
import type { InfoObject, OpenApiDocument, PathItem, ResponseObject, ServerObject } from "./document.ts";
import { INTERFACE_DOCS } from "./interface-docs.ts";
import { createSchemaWriter } from "./json-schemas.ts";
import { mergeOperations, renameParameters } from "./merge-operations.ts";
import { areaOf, describeOperation } from "./operations.ts";
import { describeSecuritySchemes } from "./signing.ts";
import { usedComponents } from "./used-components.ts";
import { describeWebhooks, WEBHOOK_TAG, webhookHeaders } from "./webhooks.ts";

/** Options of {@link createOpenApiDocument}. */
export interface OpenApiDocumentOptions {
	/**
	 * The base URL of the API.
	 * @default the variable `{base_url}`, whose default is `http://localhost:8080`, a development server
	 */
	baseUrl?: string | undefined;
	/** How the gateway differs from the catalogue. */
	profile?: Profile | undefined;
	/**
	 * The `package.json` of this package. Its version becomes the document's, since the specification shows no version
	 * of the API (section 9).
	 * @default version "0.0.0"
	 */
	manifest?: PackageManifest | undefined;
}

/** The parts of `package.json` that the document shows. */
export interface PackageManifest {
	version: string;
	/** An SPDX identifier. */
	license: string;
	/** The page of the package, if it has one. */
	homepage?: string;
}

/** The URL of a development server (specification, first paragraph). */
const LOCAL_URL = "http://localhost:8080";

/** The copyright holder in the file LICENSE. */
const CONTACT_NAME = "The messaging-gateway contributors";

const UNRELEASED: PackageManifest = { version: "0.0.0", license: "MIT" };

const ABOUT = [
	"The operations of the messaging gateway, and the webhooks that it sends.",
	"Parts that the specification shows are marked `x-provenance: documented`. All others are marked `provisional`: " +
		"their methods, paths and shapes are assumed. So are all error codes, and all patterns, lengths, sizes and closed " +
		"lists of fields, in documented requests too. `x-specification` names the section.",
].join("\n\n");

/**
 * Describes every operation of the catalogue, and the webhooks, as OpenAPI 3.1. Equal options make equal
 * documents, including the order of keys.
 *
 * @throws ConfigurationError (`configuration`) if an option or the profile is invalid.
 */
export function createOpenApiDocument(options: OpenApiDocumentOptions = {}): OpenApiDocument {
	assertKnownKeys("options", options, ["baseUrl", "profile", "manifest"]);
	const { baseUrl, manifest = UNRELEASED } = options;
	const profile = defineProfile(options.profile ?? {});
	const writer = createSchemaWriter();
	const responses: Record<string, ResponseObject> = {};
	const paths: Record<string, PathItem> = {};
	const written = new Map<string, string>();
	const routes = routesOf(profile);
	const ids = routeIds(routes);
	for (const [at, route] of routes.entries()) {
		const method = METHODS[route.method];
		// Templates that differ in the names of their parameters alone are one path (OpenAPI 3.1.1, section 4.8.8).
		const place = route.path.replace(/\{\w+\}/g, "{}");
		const path = written.get(place) ?? route.path;
		written.set(place, path);
		const operation = describeOperation(route, { profile, writer, responses });
		const described = renameParameters(
			{ ...operation, operationId: ids[at] ?? operation.operationId },
			route.path,
			path,
		);
		const item = paths[path];
		const other = item?.[method];
		paths[path] = {
			...item,
			[method]: other === undefined ? described : mergeOperations(other, described, responses),
		};
	}
	const webhooks = describeWebhooks(writer, profile);
	// Of what a map or another operation replaces, nothing is left.
	const usedResponses = usedComponents(responses, paths);
	const schemas = usedComponents(writer.components, [paths, webhooks, usedResponses]);
	return {
		openapi: "3.1.1",
		info: describePackage(manifest),
		servers: describeServers(baseUrl),
		tags: describeTags(),
		paths,
		webhooks,
		components: {
			schemas: sortKeys(schemas),
			responses: sortKeys(usedResponses),
			parameters: webhookHeaders(profile),
			securitySchemes: describeSecuritySchemes(profile.signing),
		},
	};
}

/** The id of each operation, with what tells apart the further routes of one. */
function routeIds(routes: readonly Route[]): string[] {
	const used = new Set<string>();
	return routes.map(({ operation, when = {} }) => {
		const words = Object.entries(when).map(([name, wanted]) =>
			typeof wanted === "string" && /^[a-z]+$/i.test(wanted) ? wanted : name,
		);
		const suffix = used.has(operation.id) ? `_${words.join("_")}` : "";
		let id = `${operation.id}${suffix}`;
		while (used.has(id)) id += "_";
		used.add(id);
		return id;
	});
}

/** The document as JSON, with a newline at its end. It is YAML too, which forbids tabs. */
export function writeOpenApiDocument(document: OpenApiDocument): string {
	return `${JSON.stringify(document, null, 2)}\n`;
}

const METHODS = { GET: "get", POST: "post", PUT: "put", PATCH: "patch", DELETE: "delete" } as const;

/** What a document says of the package. */
function describePackage({ version, license, homepage }: PackageManifest): InfoObject {
	return {
		title: "Messaging Gateway API",
		version,
		description: ABOUT,
		contact: { name: CONTACT_NAME, ...(homepage === undefined ? {} : { url: homepage }) },
		license: { name: license, identifier: license },
	};
}

/** Where the API is: at the base URL, or at one to fill in. */
function describeServers(baseUrl: string | undefined): ServerObject[] {
	if (baseUrl !== undefined) return [{ url: baseUrl.replace(/\/+$/, "") }];
	const variable = {
		default: LOCAL_URL,
		description: "The base URL that the service gave you, or a development server on this machine.",
	};
	return [{ url: "{base_url}", description: "The service.", variables: { base_url: variable } }];
}

/** One tag for each area, with the docstring of its class in the client. */
function describeTags(): OpenApiDocument["tags"] {
	const areas = [...new Set(OPERATIONS.map(({ id }) => areaOf(id)))];
	const tags = areas.map((area) => {
		const className = area.charAt(0).toUpperCase() + area.slice(1);
		return { name: area, description: INTERFACE_DOCS[className] ?? "" };
	});
	return [...tags, WEBHOOK_TAG];
}

/** The same record with its keys in order. */
function sortKeys<Value>(record: Record<string, Value>): Record<string, Value> {
	return Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)));
}
