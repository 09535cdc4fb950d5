import { asObject, asString, parseJson } from "../../parts/json-value.ts";
import type { ReceivedResponse } from "./recorder.ts";

/** Finds the gateway's request id in the envelope or in a header. */
export function findRequestId({ text, headers }: ReceivedResponse): string | undefined {
	const { meta, error } = asObject(parseJson(text));
	const inHeader = headers.find(([name]) => name.toLowerCase() === "x-request-id")?.[1];
	return asString(asObject(meta)["requestId"]) ?? asString(asObject(error)["requestId"]) ?? inHeader;
}

/** Formats a body: JSON is indented, everything else stays unchanged. */
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
