/**
 * The only file of the library that touches the clock, randomness, the environment and the platform's `fetch`. The rest
 * gets them from here, or from an option by which tests replace them. The command and the console have their own.
 */

/** A source of time and timers. Hand one to the client or the local gateway to control time in tests. */
export interface Clock {
	/** The current time in Unix milliseconds. */
	now(): number;
	/**
	 * Calls `callback` once, `delayMs` milliseconds from now.
	 * @returns a function that cancels the timer; cancelling twice, or too late, does nothing.
	 */
	setTimer(callback: () => void, delayMs: number): () => void;
	/**
	 * Milliseconds since an arbitrary start, unaffected when the system clock is set. Used to measure durations.
	 * @default `now`
	 */
	monotonicNow?(): number;
}

/** The time for measuring durations: monotonic if the clock supports it. */
export function monotonicNow(clock: Clock): number {
	return clock.monotonicNow?.() ?? clock.now();
}

/** The longest delay of the platform's timers, about 25 days: a longer one would fire immediately, so it is shortened. */
export const MAX_TIMER_MS = 2_147_483_647;

/** The platform's own time and timers. */
export const systemClock: Clock = {
	now: () => Date.now(),
	setTimer(callback, delayMs) {
		const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), MAX_TIMER_MS));
		return () => clearTimeout(timer);
	},
	monotonicNow: () => performance.now(),
};

/** Resolves after this time of a clock. */
export function sleep(delayMs: number, clock: Clock = systemClock): Promise<void> {
	return new Promise((resolve) => {
		clock.setTimer(resolve, delayMs);
	});
}

/** A random version 4 UUID as a server has them: ready, where other random bytes cost many times as much. */
export function serverUuid(): string {
	return crypto.randomUUID();
}

/** A random version 4 UUID. `crypto.randomUUID` is missing in insecure contexts, such as pages over plain HTTP. */
export function randomUuid(): string {
	if (typeof crypto.randomUUID === "function") return serverUuid();
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	// RFC 9562 section 5.4: the version in the high bits of octet 6, the variant in those of octet 8.
	bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
	bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
	const hex = toHex(bytes);
	return [8, 12, 16, 20].reduceRight((uuid, at) => `${uuid.slice(0, at)}-${uuid.slice(at)}`, hex);
}

/** `length` random bytes as lower-case hex. */
export function randomHex(length: number): string {
	return toHex(crypto.getRandomValues(new Uint8Array(length)));
}

/**
 * Bytes over an `ArrayBuffer`, which `fetch` and Web Crypto accept.
 * Named through a function, because `Uint8Array` has a type parameter only from TypeScript 5.7 on.
 */
export type Bytes = ReturnType<typeof Uint8Array.of>;

/** How AES-GCM is used. */
interface AesGcm {
	readonly name: "AES-GCM";
	readonly iv: Bytes;
	readonly additionalData: Bytes;
}

/** The parts of Web Crypto that this package uses; its own types are missing in projects without the DOM. */
export interface PlatformCrypto {
	getRandomValues(bytes: Bytes): unknown;
	readonly subtle: {
		digest(algorithm: "SHA-256", data: Bytes): Promise<ArrayBuffer>;
		importKey(
			format: "raw",
			key: Bytes,
			algorithm: "AES-GCM",
			isExtractable: boolean,
			uses: ("encrypt" | "decrypt")[],
		): Promise<object>;
		encrypt(algorithm: AesGcm, key: object, data: Bytes): Promise<ArrayBuffer>;
		decrypt(algorithm: AesGcm, key: object, data: Bytes): Promise<ArrayBuffer>;
	};
}

/** The platform's Web Crypto, for what must not be written by hand. */
export function platformCrypto(): PlatformCrypto {
	return crypto;
}

/** Bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The part of Node's `Buffer` that this package uses. */
interface PlatformBuffer {
	from(bytes: ArrayBufferLike, at: number, length: number): { toString(encoding: "base64"): string };
}

/**
 * Base64 as the platform writes it, many times as fast as in chunks; `undefined` if it cannot. In a page either may be a
 * script's own.
 */
export function nativeBase64(bytes: Uint8Array): string | undefined {
	// Not the method of the bytes: a subclass may have another one.
	const { toBase64 } = Uint8Array.prototype as { toBase64?: () => string };
	const { Buffer } = globalThis as { Buffer?: PlatformBuffer };
	try {
		if (typeof toBase64 === "function") return Reflect.apply(toBase64, bytes, []);
		return Buffer?.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
	} catch {
		return undefined;
	}
}

/** The parts of `node:crypto` that this package uses. */
export interface NativeCrypto {
	/** One-shot hashing; available since Node 20.12. */
	hash(algorithm: "sha256", data: Uint8Array | string, encoding: "hex" | "latin1"): string;
	createHash(algorithm: "sha256"): {
		update(data: Uint8Array | string): unknown;
		digest(encoding: "hex" | "latin1"): string;
	};
}

/**
 * A module of Node if the runtime has it: Node, Bun, Deno, and Workers with `nodejs_compat`. Loaded by a call, since
 * bundlers would try to resolve an import.
 */
export function findBuiltin<Module>(id: string): Partial<Module> | undefined {
	const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
	return process?.getBuiltinModule?.(id) as Partial<Module> | undefined;
}

/** `node:crypto` if the runtime has it. */
export function findNativeCrypto(): NativeCrypto | undefined {
	const { hash, createHash } = findBuiltin<NativeCrypto>("node:crypto") ?? {};
	return typeof hash === "function" && typeof createHash === "function" ? { hash, createHash } : undefined;
}

/** A random number from 0 (inclusive) to 1 (exclusive); for back-off, never for secrets. */
export function randomFraction(): number {
	return Math.random();
}

/** Reads an environment variable, if the runtime has an environment; an empty one counts as absent. */
export function readEnvironment(name: string): string | undefined {
	const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env;
	return environment?.[name] || undefined;
}

/**
 * The platform's `fetch`, looked up at call time: a mock may be installed later. After a reset Deno's repeats a request
 * whose body is bytes, and then reports only the second try. It reads a Blob once, and sends the same.
 */
export function platformFetch(url: string, init: RequestInit): Promise<Response> {
	const { body } = init;
	if (!("Deno" in globalThis) || !ArrayBuffer.isView(body)) return fetch(url, init);
	return fetch(url, { ...init, body: new Blob([body]) });
}

/** Whether the code runs in a browser, where visitors can read it: in a document, or in a worker of one. */
export function isBrowser(): boolean {
	const scope = globalThis as Record<string, unknown>;
	if (typeof scope["window"] === "object" && typeof scope["document"] === "object") return true;
	const hasWorkerScope =
		typeof scope["DedicatedWorkerGlobalScope"] === "function" ||
		typeof scope["SharedWorkerGlobalScope"] === "function";
	return hasWorkerScope && scope["Deno"] === undefined && scope["Bun"] === undefined;
}

/** Whether requests may have a `cache` mode; some server runtimes reject the field. */
export function supportsCacheMode(): boolean {
	return "cache" in Request.prototype;
}

/** The default logger. */
export const platformConsole = {
	debug: (message: string): void => console.debug(message),
	info: (message: string): void => console.info(message),
	warn: (message: string): void => console.warn(message),
	error: (message: string): void => console.error(message),
};
