import { isJsonObject } from "../../../library/is-object.ts";

/** Parses YAML without aliases. */
export type YamlParser = (text: string) => unknown;

/** An OpenAPI document, of any version. */
export interface GatewayDocument {
	readonly [name: string]: unknown;
	readonly paths: Readonly<Record<string, unknown>>;
}

/** Parses JSON or YAML; `undefined` for what is neither. Only what looks like a document is read as YAML. */
export function parseText(text: string, parseYaml: YamlParser): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// It may be YAML.
	}
	if (!isWrittenAsDocument(text)) return undefined;
	try {
		return parseYaml(text);
	} catch {
		return undefined;
	}
}

/** Whether a text looks like a document in YAML. */
export function isWrittenAsDocument(text: string): boolean {
	return /^["']?(openapi|swagger)["']?\s*:/m.test(text);
}

/** Whether a value is an OpenAPI document with paths. */
export function isApiDocument(value: unknown): value is GatewayDocument {
	if (!isJsonObject(value) || !isJsonObject(value["paths"])) return false;
	return typeof value["openapi"] === "string" || typeof value["swagger"] === "string";
}

/** The version, as the document writes it: a number in YAML is no document's. */
export function versionOf({ openapi, swagger }: GatewayDocument): string {
	return typeof openapi === "string" ? `OpenAPI ${openapi}` : `Swagger ${String(swagger)}`;
}

/**
 * Whether a document is this gateway's: it has a path that the specification shows. Nearly every service has `/health`,
 * so that one counts only beside messages.
 */
export function isGatewayDocument({ paths }: GatewayDocument): boolean {
	const templates = Object.keys(paths);
	if (templates.some((path) => /\/mapping\/(\{[^/]+\}|:\w+)$|\/settings\/webhooks$/.test(path))) return true;
	return (
		templates.some((path) => /\/health$/.test(path)) && templates.some((path) => /messag|\bsms\b/i.test(path))
	);
}
