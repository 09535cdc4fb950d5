import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { FoundDocument } from "../../adopt/discovery/discover-document.ts";
import { DocumentFetcher, type FetcherOptions } from "../../adopt/discovery/document-fetcher.ts";
import { isApiDocument, parseText, versionOf, type YamlParser } from "../../adopt/document/parse-document.ts";
import type { DocumentRoute } from "../../adopt/document/read-routes.ts";
import type { PlannedOperation } from "../../adopt/plan/plan-types.ts";
import { PROBE_AGENT } from "../../probe-agent.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { usageError } from "../failure.ts";
import { readTextInput } from "../read-input.ts";

/** Where the document is from. */
export interface DocumentSummary {
	readonly trail: readonly string[];
	readonly version: string;
	readonly routes: number;
	readonly sha256: string;
}

/** Makes GETs to the gateway's host alone. */
export function createFetcher(baseUrl: string, more: Partial<FetcherOptions> = {}): DocumentFetcher {
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

/** The document in a file. */
export async function readGiven(file: string, parseYaml: YamlParser): Promise<FoundDocument> {
	const text = await readTextInput(file);
	const document = parseText(text, parseYaml);
	if (isApiDocument(document)) return { document, text, trail: [file] };
	throw usageError(
		`${file} is no OpenAPI document`,
		"Give OpenAPI 2, 3.0 or 3.1 with paths, as JSON, or as YAML without aliases.",
	);
}

export function summarize(
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

/** The path of a base URL, without a slash at its end. */
export function pathOf(baseUrl: string): string {
	return new URL(baseUrl).pathname.replace(/\/+$/, "");
}

/** Routes of the document that no operation uses. */
export function unusedRoutes(
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
