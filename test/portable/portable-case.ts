import type { Gateway } from "../hosts/actions.ts";
import type { Vectors } from "./vectors.ts";

/** The package as the runtime loaded it. */
export interface Library {
	readonly client: typeof import("messaging-gateway");
	readonly signing: typeof import("messaging-gateway/signing");
	readonly testing: typeof import("messaging-gateway/testing");
	readonly doctor: typeof import("messaging-gateway/doctor");
	readonly webhooks: typeof import("messaging-gateway/webhooks");
}

/** Servers on this machine, outside of the runtime. */
export interface Servers {
	/** The options of a client of a local gateway behind a port. */
	readonly gateway: Gateway;
	/** A server that responds by the first segment of the path: see `startTroubledServer`. */
	readonly troubledUrl: string;
	/** An address at which nothing listens. */
	readonly closedUrl: string;
}

/** What a runtime is like, where that matters to a case. */
export interface RuntimeTraits {
	/** Whether visitors can read the code. */
	readonly isBrowser: boolean;
	/** Whether an error of its `fetch` shows that no connection was made. */
	readonly reportsRefusedConnections: boolean;
	/** How it shows a value on its console, where it has a function for that. */
	readonly inspect?: ((value: unknown) => string) | undefined;
}

/** What a case is given beside the package. */
export interface Given extends RuntimeTraits {
	readonly vectors: Vectors;
	readonly servers: Servers;
	/** The longest that a case may take, in milliseconds. */
	readonly caseLimitMs: number;
}

/** Something that must be so in every runtime. It uses what it is given and the Web's own APIs, nothing else. */
export interface PortableCase {
	readonly name: string;
	/** Throws, or rejects, with what is wrong. */
	run(library: Library, given: Given): void | Promise<void>;
}
