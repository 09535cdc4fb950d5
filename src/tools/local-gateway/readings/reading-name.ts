import type { CALL_READINGS } from "./call-readings.ts";
import type { DELIVERY_READINGS } from "./delivery-readings.ts";
import type { EVENT_READINGS } from "./event-readings.ts";
import type { SIGNING_READINGS } from "./signing-readings.ts";

/** The name of one of the `readings`, such as `"webhooks are not retried"`; docs/readings.md has all of them. */
export type ReadingName =
	| keyof typeof DELIVERY_READINGS
	| keyof typeof EVENT_READINGS
	| keyof typeof CALL_READINGS
	| keyof typeof SIGNING_READINGS;
