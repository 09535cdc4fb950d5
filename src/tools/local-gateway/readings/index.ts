import { callReadings } from "./call-readings.ts";
import { deliveryReadings } from "./delivery-readings.ts";
import { eventReadings } from "./event-readings.ts";
import type { Reading } from "./reading.ts";
import { signingReadings } from "./signing-readings.ts";

/**
 * Plausible ways in which a gateway may differ from the local one, mostly where the specification leaves something open.
 * Each is a local gateway that differs from the default one in a single point, so tests can run against all of them.
 *
 * @example
 * ```ts
 * describe.each(readings)("$name", (reading) => {
 *   const local = createLocalGateway({ ...reading.options });
 * });
 * ```
 */
export const readings: readonly Reading[] = /* @__PURE__ */ collect();

function collect(): readonly Reading[] {
	const all = [...deliveryReadings(), ...eventReadings(), ...callReadings(), ...signingReadings()];
	return Object.freeze(all.map(freeze));
}

function freeze<Value>(value: Value): Value {
	if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
	return value;
}
