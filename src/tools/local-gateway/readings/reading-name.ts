import type { CALL_READINGS } from "./call-readings.ts";
import type { DELIVERY_READINGS } from "./delivery-readings.ts";
import type { EVENT_READINGS } from "./event-readings.ts";
import type { SIGNING_READINGS } from "./signing-readings.ts";

/**
 * The name of one of the `readings`, such as `"webhooks are not retried"`. You find all of them in docs/readings.md.
 */
export type ReadingName =
	| keyof typeof DELIVERY_READINGS
	| keyof typeof EVENT_READINGS
	| keyof typeof CALL_READINGS
	| keyof typeof SIGNING_READINGS;
