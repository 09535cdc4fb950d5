/** Writes OpenAPI documents and their pages from the short form that the gateways are written in. */
import { stringify } from "yaml";

/**
 * A schema in short: a type with `?` for null and then its description (`string? E.164`), `enum a|b its description`,
 * `$Name`, a list of one, or an object, where `!` ends the name of a required field.
 */
export type Short = string | readonly Short[] | { readonly [name: string]: Short };

export interface RouteDoc {
	readonly sum?: string;
	readonly id?: string;
	readonly tag?: string;
	readonly path?: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, string>>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: Short;
	readonly ok?: Short;
	readonly status?: number;
	readonly isDeprecated?: boolean;
	/** How the body is named, if not JSON. */
	readonly media?: string;
}

export interface DocumentTraits {
	readonly version: "2.0" | "3.0.3" | "3.1.0";
	readonly form?: "json" | "yaml";
	readonly title?: string;
	/** The page, and where the document is. */
	readonly page?: "swagger" | "inline" | "redoc" | "scalar" | "stoplight" | "config" | "embedded";
	readonly pageAt?: string;
	readonly at: string;
	/** Whether it needs a signature. */
	readonly isLocked?: boolean;
	/** Leaves the envelope out of the responses, as some generators do. */
	readonly isBare?: boolean;
	/** Prefix of the paths: in each path, in `servers` or `basePath`, or forgotten. */
	readonly prefix?: "paths" | "server" | "none";
	readonly schemas?: Readonly<Record<string, Short>>;
	/** Makes the document wrong, or strange. */
	readonly change?: (document: Json) => unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: a document that is to be made wrong has no type.
export type Json = any;

export interface Documented {
	readonly method: string;
	readonly path: string;
	readonly doc: RouteDoc | undefined;
}

export function writeDocument(traits: DocumentTraits, mount: string, routes: readonly Documented[]): string {
	const { version, prefix = "server", isBare = false, schemas = {}, title = "Messages", change } = traits;
	const is2 = version === "2.0";
	const context = { is2, is31: version === "3.1.0" };
	const paths: Record<string, Record<string, unknown>> = {};
	for (const { method, path, doc } of routes) {
		if (doc === undefined) continue;
		const at = (prefix === "paths" ? mount : "") + path;
		paths[at] = { ...paths[at], [method.toLowerCase()]: writeRoute(path, doc, { ...context, isBare }) };
	}
	const named = Object.fromEntries(
		Object.entries(schemas).map(([name, short]) => [name, writeSchema(short, context)]),
	);
	const server = prefix === "server" ? mount : "";
	const document = is2
		? {
				swagger: "2.0",
				info: { title, version: "1" },
				...(server && { basePath: server }),
				paths,
				definitions: named,
			}
		: {
				openapi: version,
				info: { title, version: "1" },
				servers: [{ url: `https://api.example.com${server}` }],
				paths,
				components: { schemas: named },
			};
	const changed: unknown = change?.(document) ?? document;
	return traits.form === "yaml" ? stringify(changed) : JSON.stringify(changed);
}

interface Context {
	readonly is2: boolean;
	readonly is31: boolean;
}

function writeRoute(path: string, doc: RouteDoc, context: Context & { isBare: boolean }): unknown {
	const parameter =
		(place: string, required: boolean) =>
		([key, text]: [string, string]) => {
			const name = key.replace(/!$/, "");
			const { description, ...schema } = Object(writeSchema(text, context));
			const isRequired = required || key.endsWith("!");
			return { name, in: place, required: isRequired, description, ...(context.is2 ? schema : { schema }) };
		};
	const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]): [string, string] => [
		name,
		doc.path?.[name] ?? "string",
	]);
	const parameters: unknown[] = [
		...inPath.map(parameter("path", true)),
		...Object.entries(doc.query ?? {}).map(parameter("query", false)),
		...Object.entries(doc.headers ?? {}).map(parameter("header", false)),
	];
	const { media = "application/json" } = doc;
	const ok =
		doc.ok === undefined
			? undefined
			: context.isBare
				? doc.ok
				: { "ok!": "boolean", "data!": doc.ok, meta: { requestId: "string", timestamp: "string:date-time" } };
	const schema = ok === undefined ? undefined : writeSchema(ok, context);
	const description = "Success";
	const response =
		schema === undefined
			? { description }
			: context.is2
				? { description, schema }
				: { description, content: { "application/json": { schema } } };
	const body = doc.body === undefined ? undefined : writeSchema(doc.body, context);
	if (body !== undefined && context.is2)
		parameters.push({ name: "body", in: "body", required: true, schema: body });
	return {
		...(doc.sum !== undefined && { summary: doc.sum }),
		...(doc.id !== undefined && { operationId: doc.id }),
		...(doc.tag !== undefined && { tags: [doc.tag] }),
		...(doc.isDeprecated && { deprecated: true }),
		...(parameters.length > 0 && { parameters }),
		...(body !== undefined &&
			!context.is2 && { requestBody: { required: true, content: { [media]: { schema: body } } } }),
		responses: { [String(doc.status ?? 200)]: response, default: { description: "Error" } },
	};
}

function writeSchema(short: Short, context: Context): unknown {
	if (Array.isArray(short)) return { type: "array", items: writeSchema(short[0] ?? "string", context) };
	if (typeof short === "string") return writeText(short, context);
	const entries: [string, Short][] = Object.entries(short);
	const properties = entries.map(([key, value]) => [key.replace(/!$/, ""), writeSchema(value, context)]);
	const required = entries.flatMap(([key]) => (key.endsWith("!") ? [key.slice(0, -1)] : []));
	return {
		type: "object",
		properties: Object.fromEntries(properties),
		...(required.length > 0 && { required }),
	};
}

function writeText(text: string, { is2, is31 }: Context): unknown {
	if (text.startsWith("$"))
		return { $ref: `#/${is2 ? "definitions" : "components/schemas"}/${text.slice(1)}` };
	const [kind = "", ...words] = text.split(" ");
	const choices = kind === "enum" ? words.shift()?.split("|") : undefined;
	const description = words.join(" ");
	const isNullable = kind.endsWith("?");
	const [type = "string", format] = kind.replace("?", "").replace("enum", "string").split(":");
	return {
		type: isNullable && is31 ? [type, "null"] : type,
		...(isNullable && !is31 && !is2 && { nullable: true }),
		...(format !== undefined && { format }),
		...(choices !== undefined && { enum: choices }),
		...(description !== "" && { description }),
	};
}

/** The page at `/docs`, and the scripts beside it. */
export function writePages(
	{ page, pageAt = "/docs", at }: DocumentTraits,
	text: string,
): Record<string, [type: string, text: string]> {
	const html = (head: string, body = ""): [string, string] => [
		"text/html; charset=utf-8",
		`<!doctype html><html><head><title>API</title>${head}</head><body>${body}</body></html>`,
	];
	if (page === undefined) return {};
	const bundle = '<script src="./swagger-ui-bundle.js"></script>';
	switch (page) {
		case "swagger":
			return {
				[pageAt]: html(
					`${bundle}<script src="${pageAt}/swagger-initializer.js"></script>`,
					'<div id="swagger-ui"></div>',
				),
				[`${pageAt}/swagger-initializer.js`]: [
					"text/javascript",
					`window.onload = function() { window.ui = SwaggerUIBundle({ url: "${at}", dom_id: '#swagger-ui', deepLinking: true }); };`,
				],
			};
		case "inline":
			return {
				[pageAt]: html(
					`${bundle}<script>const ui = SwaggerUIBundle({ url: '${at}', "layout": "BaseLayout" })</script>`,
				),
			};
		case "redoc":
			return {
				[pageAt]: html(
					"",
					`<redoc spec-url='${at}' required-props-first=true></redoc><script src="https://cdn.example/redoc.js"></script>`,
				),
			};
		case "scalar":
			return {
				[pageAt]: html(
					"",
					`<script id="api-reference" data-url="${at}"></script><script src="https://cdn.example/scalar.js"></script>`,
				),
			};
		case "stoplight":
			return { [pageAt]: html("", `<elements-api apiDescriptionUrl="${at}" router="hash"></elements-api>`) };
		case "config":
			return {
				[pageAt]: html(`${bundle}<script>SwaggerUIBundle({ configUrl: '${at}/swagger-config' })</script>`),
				[`${at}/swagger-config`]: [
					"application/json",
					JSON.stringify({ urls: [{ name: "public", url: at }] }),
				],
			};
		case "embedded":
			return {
				[pageAt]: html(
					"",
					`<script type="application/json" id="spec">${text.replaceAll("<", "\\u003c")}</script>`,
				),
			};
	}
}
