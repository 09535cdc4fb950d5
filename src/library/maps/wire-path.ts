import { isJsonObject } from "../is-object.ts";

/** The way to a value: the names of fields, and 0 for the first item of a list. */
export type WireSteps = readonly (string | 0)[];

/** A place in a request. */
export interface WirePlace {
	readonly part: "params" | "query" | "headers" | "body";
	/** Of a parameter or a header; for the body, the whole path. */
	readonly name: string;
	/** The way into the body; empty for the other parts. */
	readonly steps: WireSteps;
}

/** Names that would reach what every object inherits. */
const INHERITED = ["__proto__", "constructor", "prototype"];

/** Reads a place such as `content.text`, `?number`, `{chatId}` or `header:Idempotency-Key`; `undefined` if it is none. */
export function readPlace(place: string): WirePlace | undefined {
	const [, parameter, query, header] = /^(?:\{(\w+)\}|\?(.+)|header:(.+))$/s.exec(place) ?? [];
	const name = parameter ?? query ?? header;
	if (name === undefined) {
		const steps = readSteps(place);
		return steps === undefined || typeof steps[0] !== "string"
			? undefined
			: { part: "body", name: place, steps };
	}
	if (INHERITED.includes(name) || !name.isWellFormed()) return undefined;
	const part = parameter !== undefined ? "params" : query !== undefined ? "query" : "headers";
	return { part, name, steps: [] };
}

/** Reads a path such as `messages[].to`; the empty one stays where it is. `undefined` if it is none. */
export function readSteps(path: string): WireSteps | undefined {
	if (path === "") return [];
	const steps: (string | 0)[] = [];
	for (const part of path.split(".")) {
		const [, name, list] = /^([^[\]{}?]+)(\[\])?$/.exec(part) ?? [];
		if (name === undefined || INHERITED.includes(name) || !name.isWellFormed()) return undefined;
		steps.push(name);
		if (list !== undefined) steps.push(0);
	}
	return steps;
}

/** The value at the end of a way; `undefined` if there is none. */
export function valueAtSteps(value: unknown, steps: WireSteps): unknown {
	return steps.reduce<unknown>((parent, step) => {
		if (step === 0) return Array.isArray(parent) ? parent[0] : undefined;
		return isJsonObject(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined;
	}, value);
}

/** A copy of a value with another one at the end of a way. A list ends a way to its first item as it is. */
export function withValueAtSteps(parent: unknown, [step, ...rest]: WireSteps, value: unknown): unknown {
	if (step === undefined) return value;
	if (step === 0) {
		if (rest.length === 0 && Array.isArray(value)) return value;
		return [withValueAtSteps(Array.isArray(parent) ? parent[0] : undefined, rest, value)];
	}
	const members = isJsonObject(parent) ? parent : {};
	return { ...members, [step]: withValueAtSteps(members[step], rest, value) };
}
