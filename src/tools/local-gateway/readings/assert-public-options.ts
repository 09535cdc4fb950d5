import { assertKnownKeys } from "../../../library/check-options.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { readingsThatChoose } from "./check-readings.ts";

/** What else may be used in the place of an option. */
const OTHER_WAYS = new Map([
	[
		"encodeResponse",
		'profile.operations["…"].response for a shape of your own, or local.faults.respond({ status, body }) for one response',
	],
]);

/**
 * Rejects options that are misspelt, or that only readings choose.
 * @throws ConfigurationError naming what to use instead.
 */
export function assertPublicOptions(
	name: "options" | "rules" | "webhooks",
	options: unknown,
	known: readonly string[],
): asserts options is object {
	const given = Object.keys(isJsonObject(options) ? options : {});
	const replaced = given.flatMap((key) => {
		const path = name === "options" ? key : `${name}.${key}`;
		const readings = known.includes(key) ? [] : readingsThatChoose(path);
		return readings.length === 0 ? [] : [[key, describeOtherWay(path, readings)] as const];
	});
	assertKnownKeys(name, options, known, Object.fromEntries(replaced));
}

function describeOtherWay(path: string, readings: readonly string[]): string {
	const names = readings.map((reading) => `"${reading}"`).join(", ");
	const use = readings.length === 1 ? `readings: [${names}]` : `one of the readings ${names}`;
	return `use ${use}, or ${OTHER_WAYS.get(path) ?? "leave it out for the default"}`;
}
