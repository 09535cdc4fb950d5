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

const lacks = (name: string) =>
	expect.stringMatching(`^ConfigurationError: this environment has no ${name}: `);

/** React Native without polyfills. */
export const REACT_NATIVE_ALONE: Readonly<Record<keyof Cells, unknown>> = {
	sign: lacks("crypto.getRandomValues that works"),
	send: lacks("TextDecoder"),
	verify: lacks("crypto.getRandomValues that works"),
	handle: lacks("crypto.getRandomValues that works"),
	"local gateway": lacks("TextDecoder"),
	guard: WORKS_IN_PUBLIC.guard,
};
