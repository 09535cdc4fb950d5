import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Profile } from "../../../library/catalogue/profile.ts";
import { profileFromJson } from "../../../library/maps/profile-from-json.ts";
import { signRequest } from "../../../library/signing/sign-request.ts";
import {
	discoverDocument,
	type FoundDocument,
	usualAddresses,
} from "../../adopt/discovery/discover-document.ts";
import { DocumentFetcher, type FetcherOptions } from "../../adopt/discovery/document-fetcher.ts";
import { isApiDocument, parseText, versionOf, type YamlParser } from "../../adopt/document/parse-document.ts";
import { type DocumentRoute, readRoutes } from "../../adopt/document/read-routes.ts";
import { planOperations } from "../../adopt/plan/plan-operations.ts";
import type { PlanHints, PlannedOperation } from "../../adopt/plan/plan-types.ts";
import type { Diagnosis } from "../../doctor/calls/diagnosis.ts";
import { PROBE_AGENT } from "../../probe-agent.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { examine } from "../doctor/examine.ts";
import { usageError } from "../failure.ts";
import type { Access } from "../gateway-options.ts";
import { readTextInput } from "../read-input.ts";
import { createWholeFile, replaceWholeFile } from "../whole-file.ts";

/** What `adopt` found. */
export interface Adoption {
	readonly diagnosis: Diagnosis;
	/** Whether the written profile signs as the gateway wants it. */
	readonly signing: "certain" | "likely" | "open";
	readonly document: DocumentSummary | undefined;
	/** What was not fetched, and why. */
	readonly left: readonly string[];
	readonly operations: readonly PlannedOperation[];
	/** Routes of the document that no operation uses. */
	readonly unused: readonly string[];
	/** As JSON, to be written. */
	readonly profile: Readonly<Record<string, unknown>>;
	readonly requests: number;
}

/** Where the document is from. */
export interface DocumentSummary {
	readonly trail: readonly string[];
	readonly version: string;
	readonly routes: number;
	readonly sha256: string;
}

interface AdoptOptions {
	readonly hints: PlanHints;
	/** A document in a file; without it, the gateway is asked. */
	readonly openapi: string | undefined;
	readonly probeBody: boolean;
	readonly probeNumber: string | undefined;
}

/** The most requests of all steps together. */
const MAX_REQUESTS = 150;

/** Finds out how a gateway signs and what its document says. It makes GETs, and what the doctor makes; nothing is sent. */
export async function adoptGateway(access: Access, options: AdoptOptions): Promise<Adoption> {
	const { parseYaml } = await import("#yaml");
	const { maps, from } = options.hints;
	// What the user wrote is checked before anything is requested.
	profileFromJson({ operations: maps, ...(from !== undefined && { defaults: { from } }) });
	const { baseUrl } = access;
	const given = options.openapi === undefined ? undefined : await readGiven(options.openapi, parseYaml);
	const first = createFetcher(baseUrl);
	let found = given ?? (await discoverDocument(usualAddresses(baseUrl), first, parseYaml));
	let plan = planFrom(found, baseUrl, options.hints);
	// The document shows the prefix of the path that the doctor asks for.
	const path = plan.find(({ id }) => id === "mappings.get")?.profile?.path;
	const health = plan.find(({ id }) => id === "health.check")?.profile?.path;
	const profile = profileFromJson({
		operations: {
			...(path && { "mappings.get": { path } }),
			...(health && { "health.check": { path: health } }),
		},
	});
	const { probeBody, probeNumber } = options;
	const diagnosis = await examine({ ...access, profile }, { probeBody, probeNumber, fetch: toolFetch });
	let requests = first.requests;
	let left = [...first.left];
	if (found === undefined && diagnosis.signing !== undefined && first.locked.size > 0) {
		const maxRequests = Math.max(0, MAX_REQUESTS - first.requests - diagnosis.checks.length);
		const second = createFetcher(baseUrl, { sign: signerOf(access, diagnosis), maxRequests });
		found = await discoverDocument([...first.locked], second, parseYaml);
		plan = planFrom(found, baseUrl, options.hints);
		requests += second.requests;
		left = [...left, ...second.left];
	}
	const routes = found === undefined ? [] : readRoutes(found.document);
	return {
		diagnosis,
		signing: judgeSigning(diagnosis),
		document: found && summarize(found, routes),
		left: [...new Set(left)],
		operations: plan,
		unused: unusedRoutes(routes, plan, baseUrl),
		profile: composeProfile(diagnosis, plan, from),
		requests: requests + diagnosis.checks.length,
	};
}

function createFetcher(baseUrl: string, more: Partial<FetcherOptions> = {}): DocumentFetcher {
	const { origin } = new URL(baseUrl);
	return new DocumentFetcher({
		fetch: toolFetch,
		origin,
		sign: undefined,
		sleep: (ms) => sleep(ms),
		userAgent: PROBE_AGENT,
		...more,
	});
}

function signerOf({ appId, appSecret, baseUrl }: Access, { signing, clockOffsetMs = 0 }: Diagnosis) {
	const basePath = new URL(baseUrl).pathname;
	const profile: Profile = { signing };
	return (url: string): Record<string, string> => {
		const timestamp = Math.round(Date.now() + clockOffsetMs);
		return { ...signRequest({ method: "GET", url, appId, appSecret, basePath, timestamp, profile }).headers };
	};
}

async function readGiven(file: string, parseYaml: YamlParser): Promise<FoundDocument> {
	const text = await readTextInput(file);
	const document = parseText(text, parseYaml);
	if (isApiDocument(document)) return { document, text, trail: [file] };
	throw usageError(
		`${file} is no OpenAPI document`,
		"Give OpenAPI 2, 3.0 or 3.1 with paths, as JSON, or as YAML without aliases.",
	);
}

function planFrom(found: FoundDocument | undefined, baseUrl: string, hints: PlanHints): PlannedOperation[] {
	const routes = found === undefined ? [] : readRoutes(found.document);
	return planOperations(routes, { basePath: pathOf(baseUrl), hints });
}

function pathOf(baseUrl: string): string {
	return new URL(baseUrl).pathname.replace(/\/+$/, "");
}

function summarize(
	{ document, text, trail }: FoundDocument,
	routes: readonly DocumentRoute[],
): DocumentSummary {
	return {
		trail,
		version: versionOf(document),
		routes: routes.length,
		sha256: createHash("sha256").update(text).digest("hex"),
	};
}

function unusedRoutes(
	routes: readonly DocumentRoute[],
	plan: readonly PlannedOperation[],
	baseUrl: string,
): string[] {
	const base = pathOf(baseUrl);
	const used = plan.flatMap(({ method, path, profile }) => [
		`${method} ${path}`,
		...(profile?.routes ?? []).map((route) => `${route.method} ${route.path}`),
	]);
	const shape = (route: string): string => route.replace(/\{\w+\}/g, "{}");
	const known = new Set([...used, ...used.map((route) => route.replace(" /", ` ${base}/`))].map(shape));
	return routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !known.has(shape(route)));
}

/** A form of bodies that needs a function is not in a JSON file. */
export function needsFunction({ profileSource }: Diagnosis): boolean {
	return profileSource?.includes("messaging-gateway/signing") === true;
}

function judgeSigning(diagnosis: Diagnosis): Adoption["signing"] {
	const { signing, hasTestedBodies, findings } = diagnosis;
	if (signing === undefined) return "open";
	const isBlocked = findings.some(({ isBlocking, cause }) => isBlocking && cause !== "other_signing_form");
	return hasTestedBodies && !isBlocked && !needsFunction(diagnosis) ? "certain" : "likely";
}

function composeProfile(
	{ signing }: Diagnosis,
	plan: readonly PlannedOperation[],
	from: string | undefined,
): Record<string, unknown> {
	const operations = Object.fromEntries(
		plan.flatMap(({ id, profile }) => (profile === undefined ? [] : [[id, profile]])),
	);
	return {
		...(signing !== undefined && Object.keys(signing).length > 0 && { signing }),
		...(from !== undefined && { defaults: { from } }),
		...(Object.keys(operations).length > 0 && { operations }),
	};
}

/** Rejects an existing file before anything is requested. */
export function assertWritable(file: string, isForced: boolean): void {
	if (!existsSync(file) || isForced) return;
	throw usageError(`${file} exists`, "Give another file with --out, or replace it with --force.");
}

/** Writes the profile; an existing file only with `--force`. */
export function writeProfileFile(file: string, profile: unknown, isForced: boolean): void {
	const content = `${JSON.stringify(profile, null, "\t")}\n`;
	if (createWholeFile(file, content)) return;
	assertWritable(file, isForced);
	replaceWholeFile(file, content, statSync(file));
}
