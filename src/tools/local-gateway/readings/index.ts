import { CALL_READINGS } from "./call-readings.ts";
import { CHOICES, isReadingName } from "./choices-by-reading.ts";
import { DELIVERY_READINGS } from "./delivery-readings.ts";
import { EVENT_READINGS } from "./event-readings.ts";
import type { Reading } from "./reading.ts";
import type { ReadingName } from "./reading-name.ts";
import { SIGNING_READINGS } from "./signing-readings.ts";

/**
 * Plausible ways in which your gateway may differ from the local one. Most are points that the specification leaves
 * open. Each is a local gateway that differs from the default one in a single point, so your tests can run against all
 * of them.
 *
 * @example
 * ```ts
 * describe.each(readings)("$name", ({ options }) => {
 *   const local = createLocalGateway({ ...options });
 * });
 * ```
 */
export const readings: readonly Reading[] = /* @__PURE__ */ collect();

function collect(): readonly Reading[] {
	const descriptions = { ...DELIVERY_READINGS, ...EVENT_READINGS, ...CALL_READINGS, ...SIGNING_READINGS };
	const names = Object.keys(descriptions).filter(isReadingName);
	return freeze(names.map((name) => ({ name, ...descriptions[name], options: optionsOf(name) })));
}

function optionsOf(name: ReadingName): Reading["options"] {
	const { baseUrl, profile } = CHOICES[name];
	return {
		readings: [name],
		...(baseUrl === undefined ? {} : { baseUrl }),
		...(profile === undefined ? {} : { profile }),
	};
}

function freeze<Value>(value: Value): Value {
	if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
	return value;
}
