import { isJsonObject } from "../../../library/is-object.ts";
import { parseJson } from "../../control/parse-json.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject {
	return isJsonObject(value) ? value : {};
}

export function asList(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

export function asString(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
	return typeof value === "number" ? value : undefined;
}

export function asStrings(value: unknown): readonly string[] {
	return asList(value).filter((entry) => typeof entry === "string");
}

/** Indents JSON; other texts stay unchanged. */
export function indentJson(text: string): string {
	const value = parseJson(text);
	return value === undefined ? text : JSON.stringify(value, undefined, 2);
}
