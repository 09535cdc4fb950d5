import { expect } from "vitest";
import type { Cells } from "./actions.ts";

/** A host in which everything works, and strangers have the code. */
export const WORKS_IN_PUBLIC: Readonly<Record<keyof Cells, unknown>> = {
	sign: "works",
	send: "works",
	verify: "works",
	handle: "works",
	"local gateway": "works",
	guard: expect.stringMatching(
		/^ConfigurationError: appSecret in a browser or an app can be read by everybody/,
	),
};

/** A server. */
export const WORKS: Cells = {
	sign: "works",
	send: "works",
	verify: "works",
	handle: "works",
	"local gateway": "works",
	guard: "works",
};
