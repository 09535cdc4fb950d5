import { asObject, asText, parseJson } from "../../parts/json-value.ts";
import type { ReceivedResponse } from "./recorder.ts";

/** The gateway's id of a request: in the envelope, or in a header. */
export function findRequestId({ text, headers }: ReceivedResponse): string | undefined {
	const { meta, error } = asObject(parseJson(text));
	const inHeader = headers.find(([name]) => name.toLowerCase() === "x-request-id")?.[1];
	return asText(asObject(meta)["requestId"]) ?? asText(asObject(error)["requestId"]) ?? inHeader;
}

/** A body as it is best read: JSON indented, and everything else as it came. */
export function formatBody(text: string): { readonly body: string; readonly language: "json" | "text" } {
	const value = parseJson(text);
	return value === undefined
		? { body: text, language: "text" }
		: { body: JSON.stringify(value, undefined, 2), language: "json" };
}

/** A duration in the unit that reads best. */
export function formatDuration(ms: number): string {
	if (ms < 1000) return `${Math.max(1, Math.round(ms))} ms`;
	if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`;
	const seconds = Math.round(ms / 1000);
	return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
