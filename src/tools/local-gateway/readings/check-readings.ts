import { ConfigurationError } from "../../../library/errors.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { didYouMean } from "../../../library/nearest-name.ts";
import { CHOICES, isReadingName } from "./choices-by-reading.ts";
import type { ReadingName } from "./reading-name.ts";

/** What the functions of several readings change is changed by one after the other. */
const IN_TURN = ["webhooks.encode", "encodeResponse"];

const allNames = (): ReadingName[] => Object.keys(CHOICES).filter(isReadingName);

/**
 * The names that an option has, each once.
 * @throws ConfigurationError if one is misspelt, or two of the readings contradict each other.
 */
export function readNames(readings: unknown = []): ReadingName[] {
	if (!Array.isArray(readings)) {
		throw new ConfigurationError('readings must be a list of names, such as ["webhooks are not retried"]');
	}
	const names = new Set(Array.from(readings, (name: unknown, at) => readName(name, `readings[${at}]`)));
	assertCompatible(names);
	return [...names];
}

function readName(name: unknown, place: string): ReadingName {
	if (typeof name !== "string") {
		throw new ConfigurationError(
			`${place} must be the name of a reading, such as "webhooks are not retried"`,
		);
	}
	if (isReadingName(name)) return name;
	// Only a name that is like one of ours is shown: any other text could be a value.
	const question = didYouMean(name, allNames());
	const shown = question === "" ? "of this name" : `"${name.slice(0, 100)}"`;
	throw new ConfigurationError(
		`${place}: there is no reading ${shown}.${question} ` +
			"All names are in docs/readings.md, and in `readings` of messaging-gateway/testing",
	);
}

/** Rejects two readings that choose the same thing differently. */
function assertCompatible(names: Iterable<ReadingName>): void {
	const chosen = new Map<string, { readonly name: ReadingName; readonly value: unknown }>();
	for (const name of names) {
		for (const [path, value] of listChoices(CHOICES[name])) {
			if (IN_TURN.includes(path)) continue;
			const other = chosen.get(path);
			if (other !== undefined && other.value !== value) {
				throw new ConfigurationError(
					`readings: "${other.name}" and "${name}" contradict each other: use one of them`,
				);
			}
			chosen.set(path, { name, value });
		}
	}
}

/** The names of the readings that choose what a path names, such as `rules.compareText`. */
export function readingsThatChoose(path: string): ReadingName[] {
	return allNames().filter((name) => listChoices(CHOICES[name]).some(([chosen]) => chosen === path));
}

/** Each choice with its path. */
function listChoices(choices: object, prefix = ""): (readonly [path: string, value: unknown])[] {
	return Object.entries(choices).flatMap(([key, value]: [string, unknown]) =>
		isJsonObject(value) ? listChoices(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value] as const],
	);
}
