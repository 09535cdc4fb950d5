/**
 * The one place that asks what the host offers. Hosts lack what others have, and some throw on purpose: the edge runtime of
 * Next.js for each part of Node, Deno for what it does not permit. So each question is guarded.
 */

import { ConfigurationError } from "./errors.ts";

/** What hosts offer; its own list, since not every project's types have it. */
interface Host {
	readonly crypto?: WebCrypto;
	readonly process?: {
		readonly env?: Readonly<Record<string, string | undefined>>;
		getBuiltinModule?(id: string): unknown;
	} & Partial<ProcessEvents>;
	readonly Buffer?: {
		from(bytes: ArrayBufferLike, at: number, length: number): { toString(encoding: "base64"): string };
	};
}

/** The events of Node's process. */
interface ProcessEvents {
	on(name: string, listener: (value: unknown) => void): unknown;
	off(name: string, listener: (value: unknown) => void): unknown;
	listeners(name: string): readonly object[];
}

/** The answer of the host, or `undefined` if it throws. */
function ask<Answer>(question: (host: Host & Record<string, unknown>) => Answer): Answer | undefined {
	try {
		return question(globalThis as Host & Record<string, unknown>);
	} catch {
		return undefined;
	}
}

/** A value of the host by its name, whatever it is. */
function read(name: string): unknown {
	return ask((host) => host[name]);
}

/** The error for what a host lacks, which is thrown before anything is sent. */
export function hostLacks(name: string, cause?: unknown): ConfigurationError {
	return new ConfigurationError(
		`This environment has no ${name}: load a polyfill first, or in Jest use jest-fixed-jsdom`,
		{ cause },
	);
}

/** @throws ConfigurationError if the host lacks one of these functions and classes. */
export function assertHostHas(...names: readonly string[]): void {
	for (const name of names) if (typeof read(name) !== "function") throw hostLacks(name);
}

/**
 * Bytes over an `ArrayBuffer`, which `fetch` and Web Crypto accept. The type is named through a function, because
 * `Uint8Array` has a type parameter only from TypeScript 5.7 on.
 */
export type Bytes = ReturnType<typeof Uint8Array.of>;

/** Writes strings as UTF-8. Its methods are listed, since not every project's types have `TextEncoder`. */
export interface Utf8Encoder {
	encode(value: string): Bytes;
	encodeInto(value: string, target: Uint8Array): { readonly written: number };
}

/** Reads UTF-8. */
export interface Utf8Decoder {
	decode(bytes?: Uint8Array | ArrayBuffer): string;
}

/** Makes what reads or writes UTF-8. In Jest with jsdom only Node itself has it. */
function createCoder<Coder>(name: "TextEncoder" | "TextDecoder", options?: object): Coder {
	type CoderClass = new (label?: string, options?: object) => Coder;
	const coderClass = (read(name) ?? findBuiltin<Record<string, unknown>>("node:util")?.[name]) as CoderClass;
	// A polyfill without `fatal` throws: with it, other bytes could be read than were signed.
	const coder = ask(() => new coderClass("utf-8", options));
	if (coder === undefined) throw hostLacks(name);
	return coder;
}

/** @throws ConfigurationError if the host has no `TextEncoder`. */
export function createEncoder(): Utf8Encoder {
	return createCoder("TextEncoder");
}

/** @throws ConfigurationError if the host has no `TextDecoder`. */
export function createDecoder(options?: { fatal: boolean; ignoreBOM: boolean }): Utf8Decoder {
	const decoder = createCoder<Utf8Decoder>("TextDecoder", options);
	// One that ignores `fatal` would read other bytes than were signed.
	if (options?.fatal && ask(() => decoder.decode(Uint8Array.of(0xff))) !== undefined)
		throw hostLacks("TextDecoder that works");
	return decoder;
}

/** How AES-GCM is used. */
interface AesGcm {
	readonly name: "AES-GCM";
	readonly iv: Bytes;
	readonly additionalData: Bytes;
}

/** The parts of Web Crypto that this package uses; its own types are missing in projects without the DOM. */
export interface WebCrypto {
	randomUUID(): string;
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

const makeUuid = ({ crypto }: Host) => crypto?.randomUUID();

/** The textual form of a UUID (RFC 9562, section 4), of any version. */
export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * A UUID of the host's, many times as fast as one of {@link randomBytes}; `undefined` if it has none, as in pages over
 * plain HTTP, or makes something else.
 */
export function nativeUuid(): string | undefined {
	const uuid: unknown = ask(makeUuid);
	// A host that makes the same again makes none.
	return typeof uuid === "string" && uuid !== ask(makeUuid) && UUID.test(uuid) ? uuid : undefined;
}

/**
 * Random bytes that nobody can guess.
 * @throws ConfigurationError if the host has none, or makes all of them the same, such as 0.
 */
export function randomBytes(length: number): Bytes {
	const bytes = new Uint8Array(length);
	let cause: unknown;
	try {
		(globalThis as Required<Host>).crypto.getRandomValues(bytes);
	} catch (error) {
		// Workers have it only while they handle a request.
		cause = error;
	}
	if (cause === undefined && bytes.some((byte) => byte !== bytes[0])) return bytes;
	throw hostLacks("crypto.getRandomValues that works", cause);
}

/**
 * The host's Web Crypto, for what must not be written by hand.
 * @throws ConfigurationError if it is missing, as in pages over plain HTTP.
 */
export function webCrypto(): WebCrypto["subtle"] {
	const subtle = ask(({ crypto }) => crypto?.subtle);
	if (subtle == null) throw hostLacks("crypto.subtle");
	return subtle;
}

/**
 * Base64 as the host writes it, many times as fast as in chunks; `undefined` if it cannot. In a page either may be a
 * script's own.
 */
export function nativeBase64(bytes: Uint8Array): string | undefined {
	return ask(({ Buffer }) => {
		// Not the method of the bytes: a subclass may have another one.
		const { toBase64 } = Uint8Array.prototype as { toBase64?: () => string };
		if (typeof toBase64 === "function") return Reflect.apply(toBase64, bytes, []);
		return Buffer?.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
	});
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
 * A module of Node if the host has it: Node, Bun, Deno, and Workers with `nodejs_compat`. Loaded by a call, since
 * bundlers would try to resolve an import.
 */
export function findBuiltin<Module>(id: string): Partial<Module> | undefined {
	return ask(({ process }) => process?.getBuiltinModule?.(id) as Partial<Module> | undefined);
}

/**
 * A whole module of Node, for what runs on Node and its like alone. It is loaded by the first call that needs it: an import
 * loads it with the file, and of `node:process` it reads every property, the standard streams included.
 * @throws ConfigurationError if the host lacks it.
 */
export function loadBuiltin<Module>(id: string): Module {
	const module = findBuiltin(id);
	if (module === undefined) throw hostLacks(id);
	return module as Module;
}

/** The events of the process, where the host has them. */
export function processEvents(): ProcessEvents | undefined {
	return ask(({ process }) =>
		typeof process?.listeners === "function" ? (process as ProcessEvents) : undefined,
	);
}

/** Calls back in a later task. */
type StartTask = (callback: () => void, delayMs?: number) => unknown;

/** The timers of a host. */
interface Timers {
	readonly setImmediate: StartTask;
	readonly setTimeout: StartTask;
}

/**
 * A timer of the host's that no test has faked yet; `undefined` if there is none. jsdom has fewer than Node beneath it.
 * `setImmediate` is that of Node and what is like it: the edge runtime of Next.js has one that throws, and Workers do not
 * read bodies between two of them.
 */
export function findTimer(name: keyof Timers): StartTask | undefined {
	const nodeTimers = findBuiltin<Timers>("node:timers");
	if (name === "setImmediate" && (nodeTimers === undefined || read("WebSocketPair"))) return undefined;
	// Faked timers have a clock, with Vitest as with Jest.
	return [read(name), nodeTimers?.[name]].find(
		(start): start is StartTask => typeof start === "function" && !("clock" in start),
	);
}

/** Reads an environment variable; an empty one, and one that the process may not read, counts as absent. */
export function readEnvironment(name: string): string | undefined {
	return ask(({ process }) => process?.env?.[name]) || undefined;
}

/** How a variable that is absent becomes one that can be read, for an error's message. */
export function howToSet(name: string): string {
	return `set ${name}${isDeno() ? ", with --allow-env" : ""}`;
}

/**
 * The URL that a text is; `undefined` if it is none. React Native and old browsers have no `URL.canParse`.
 * @throws ConfigurationError if the host has no `URL`.
 */
export function parseUrl(text: string): URL | undefined {
	if (read("URL") === undefined) throw hostLacks("URL");
	return ask(() => new URL(text));
}

/**
 * Whether requests of a `fetch` may have a `cache` mode: some server runtimes reject the field. What stands in for a native
 * `fetch` over `XMLHttpRequest`, as whatwg-fetch and cross-fetch do, adds a parameter to the URL for it.
 */
export function supportsCacheMode(fetch: object): boolean {
	// Last, since asking for one of its classes loads all of the platform's `fetch`.
	return ask(() => !("polyfill" in fetch || "ponyfill" in fetch) && "cache" in Request.prototype) ?? false;
}

/** Whether it is Deno, whose `fetch` repeats what others do not. */
export function isDeno(): boolean {
	return read("Deno") !== undefined;
}

/** A member of an object of the host's. */
function readMember(name: string, member: string): unknown {
	return ask(() => Reflect.get(new Object(read(name)), member));
}

/** Of the DOM Standard, section 4.4: what `nodeType` of a document is. */
const DOCUMENT_NODE = 9;

/** Whether the global object is that of a worker. */
function isWorkerScope(): boolean {
	return (
		ask(({ WorkerGlobalScope: scope }) => typeof scope === "function" && globalThis instanceof scope) ?? false
	);
}

/**
 * Whether the code runs in a browser, or what simulates one: in a document, or in a worker of one, such as a service worker
 * or the background of an extension. It asks what the global object is: a page may have what servers have, such as
 * `process.env` of a bundler, and a server what pages have. Workers, Deno and others have the global object of a worker, but
 * of all its navigators only those of browsers know whether they are online (HTML Standard, `NavigatorOnLine`).
 */
export function isBrowser(): boolean {
	if (readMember("document", "nodeType") === DOCUMENT_NODE) return true;
	return isWorkerScope() && readMember("navigator", "onLine") !== undefined;
}

/** Whether strangers have the code: in a browser, and in an app of React Native. */
export function isPublic(): boolean {
	return isBrowser() || readMember("navigator", "product") === "ReactNative";
}

/** Whether it is a page of jsdom or happy-dom, as in tests. */
export function isSimulatedPage(): boolean {
	return /jsdom|HappyDOM/.test(String(readMember("navigator", "userAgent")));
}

/** How the `digest`, or the `code`, of errors begins that Next.js throws on purpose, out of `fetch` among others. */
const CONTROL_FLOW =
	/^(BAILOUT_TO_CLIENT_SIDE_RENDERING|DYNAMIC_SERVER_USAGE|HANGING_PROMISE_REJECTION|NEXT_(HTTP_ERROR_FALLBACK|PRERENDER_INTERRUPTED|REDIRECT|STATIC_GEN_BAILOUT))(;|$)/;

/**
 * Throws an error again that the host threw to control what runs, and must get back. Every other error is a failure, also
 * one with a digest, which an error of a server has.
 */
export function rethrowControlFlow(error: unknown): void {
	const found: unknown = ask(() => {
		// Next.js looks for its error in causes, too: a `fetch` of the application's may wrap it.
		for (let at = Object(error), depth = 0; at !== undefined && depth < MAX_CAUSES; at = at.cause, depth++)
			if ([at.digest, at.code].some((mark) => typeof mark === "string" && CONTROL_FLOW.test(mark))) return at;
	});
	if (found !== undefined) throw found;
}

const MAX_CAUSES = 5;

/** What aborts an attempt. Its members are listed, since not every project's types have `AbortController`. */
interface AbortTool {
	readonly signal: AbortSignal;
	abort(reason?: unknown): void;
}

/** The part of `node:util` that makes signals which Node's own `fetch` accepts. */
interface NodeUtil {
	transferableAbortController(): AbortTool;
}

/**
 * A controller whose signal `fetch` accepts. Where Node simulates a page, as in tests with jsdom, the global class may be
 * the page's, and `fetch` still Node's.
 */
export function createAbortController(): AbortTool {
	const controller = new AbortController();
	if (!isBrowser() || ask(() => new Request("http://localhost", controller)) !== undefined) return controller;
	return ask(() => findBuiltin<NodeUtil>("node:util")?.transferableAbortController?.()) ?? controller;
}
