import { assertAll } from "../assert-argument.ts";
import type { Profile } from "../catalogue/profile.ts";
import { RESERVED_HEADERS } from "../catalogue/reserved-headers.ts";
import {
	assertBoolean,
	assertFunction,
	assertKnownKeys,
	assertMethods,
	assertObject,
	assertOneOf,
	assertPositive,
	shownKey,
} from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { isPublic, isSimulatedPage, parseUrl } from "../host.ts";
import { isPlainObject } from "../is-object.ts";
import type { Clock } from "../runtime.ts";
import type { WithSigningProfile } from "../signing/dialect.ts";
import { describeSecretProblem } from "../signing/hash.ts";
import { assertHeaderValue } from "../signing/sign-request.ts";
import type { CustomFetch } from "./custom-fetch.ts";
import { HOOKS, type Hooks, LOG_LEVELS, type Logger, type LogLevel } from "./observer.ts";
import type { Signer } from "./signer.ts";

/** The options of {@link MessagingGateway}. The first three default to environment variables. */
export interface ClientOptions {
	/**
	 * The gateway's base URL, with or without a path.
	 * @default the environment variable MESSAGING_GATEWAY_BASE_URL, read at the first call
	 */
	baseUrl?: string | undefined;
	/**
	 * The app id, which requests carry in clear.
	 * @default the environment variable MESSAGING_GATEWAY_APP_ID, read at the first call
	 */
	appId?: string | undefined;
	/**
	 * The App Secret: a string, bytes, or a function that fetches it. Bytes are the key. A string is its text, or what
	 * `profile.signing.secret` says. The client calls your function once, and again after a 401 in case you rotated the
	 * secret, every ten seconds at most. If the function fails or outlasts `timeoutMs`, that call fails and the next
	 * one tries again. A secret that was fetched before stays in use until a new one arrives.
	 * @default the environment variable MESSAGING_GATEWAY_APP_SECRET, read at the first call
	 */
	appSecret?: (string | Uint8Array | (() => string | Uint8Array | Promise<string | Uint8Array>)) | undefined;
	/**
	 * Signs requests outside the client, so it needs no secret: with a key service, or on your server for a browser.
	 */
	signer?: Signer | undefined;
	/** Describes how your gateway differs from the defaults: see `defineProfile`. */
	profile?: Profile | undefined;
	/**
	 * Makes the HTTP request of each attempt, for example through a proxy. Pass the platform's `fetch`, a library's
	 * such as undici's, or `nodeHttpFetch` of `messaging-gateway/node`. Let one call make one request: if your
	 * transport repeats requests by itself, `"not_sent"` describes only the last one, unless it is built on undici, as
	 * Node's `fetch` is, or on `nodeHttpFetch`. Deno's own `fetch` repeats a body of bytes, but not a Blob.
	 * @default the platform's fetch
	 */
	fetch?: CustomFetch | undefined;
	/** The longest a call may take with all its attempts, in milliseconds. @default 60_000 */
	timeoutMs?: number | undefined;
	/** The longest one attempt may take, including reading its response, in milliseconds. @default 15_000 */
	attemptTimeoutMs?: number | undefined;
	/**
	 * How often the client retries a call that may be retried. A try with a corrected clock or a new secret, after a
	 * 401, doesn't count.
	 * @default 2
	 */
	maxRetries?: number | undefined;
	/** The largest response that the client reads, in bytes. @default 10_485_760 */
	maxResponseBytes?: number | undefined;
	/** Receives the log lines: any object shaped like `console`. @default console */
	logger?: Logger | undefined;
	/**
	 * The least severe line to log. Lines never contain numbers, e-mail addresses, message texts, headers or secrets.
	 * @default "warn"
	 */
	logLevel?: LogLevel | undefined;
	/** Observes or wraps every call and attempt. Hooks can't change them. */
	hooks?: Hooks | undefined;
	/** The clock for timestamps, waits and limits. @default the system clock */
	clock?: Clock | undefined;
	/** Headers for every request. You can't set the signed ones. */
	headers?: Readonly<Record<string, string>> | undefined;
	/**
	 * Whether timestamps follow the gateway's clock when yours is wrong. The first correction logs a warning.
	 * @default true
	 */
	correctClockSkew?: boolean | undefined;
	/** Decides what to do when a response doesn't have the expected shape. */
	responseValidation?: ResponseValidation | undefined;
	/**
	 * Allows `appSecret` in a browser or an app, where everybody can read it. Prefer `signer`.
	 * @default false
	 */
	dangerouslyAllowBrowser?: boolean | undefined;
}

/**
 * How the client reacts to a mismatch: `"throw"` a `ResponseShapeError`, `"warn"` once and return the value, or only
 * return it.
 */
export type ValidationMode = "throw" | "warn" | "off";

/** How the client checks the shape of responses. */
export interface ResponseValidation {
	/** Applies to responses with a shape that the specification shows. @default "throw" */
	documented?: ValidationMode | undefined;
	/** Applies to responses with an assumed shape. @default "warn" */
	provisional?: ValidationMode | undefined;
}

/** The options of one call. */
export interface CallOptions {
	/**
	 * Aborts the call, which then rejects with the signal's own reason, as `fetch` does. That reason has no `outcome`:
	 * the gateway may have carried out the call, unless the hook `aroundCall` reports otherwise. For a time limit use
	 * `timeoutMs`.
	 */
	signal?: AbortSignal | undefined;
	/** Overrides the client's option for this call. */
	timeoutMs?: number | undefined;
	/** Overrides the client's option for this call. */
	attemptTimeoutMs?: number | undefined;
	/** Overrides the client's option for this call. */
	maxRetries?: number | undefined;
	/** Additional headers for this call. */
	headers?: Readonly<Record<string, string>> | undefined;
}

/** The limits of one call, with defaults applied. */
export interface CallLimits {
	timeoutMs: number;
	attemptTimeoutMs: number;
	maxRetries: number;
}

export const MAX_RESPONSE_BYTES = 10_485_760;

/** Every option, to detect misspelt ones; the type ensures that none is missing here. */
const CLIENT_OPTIONS: Readonly<Record<keyof ClientOptions, true>> = {
	baseUrl: true,
	appId: true,
	appSecret: true,
	signer: true,
	profile: true,
	fetch: true,
	timeoutMs: true,
	attemptTimeoutMs: true,
	maxRetries: true,
	maxResponseBytes: true,
	logger: true,
	logLevel: true,
	hooks: true,
	clock: true,
	headers: true,
	correctClockSkew: true,
	responseValidation: true,
	dangerouslyAllowBrowser: true,
};

/** What to write in place of an option that the client does not have. */
export const REPLACED_OPTIONS: Readonly<Record<string, string>> = {
	checkPhoneNumbers:
		"a contact is a number in E.164, an e-mail address or a short code; a regular expression in `profile.handlePattern` allows others",
	createNonce: "leave it out for random UUIDs, or return a nonce of your own from `signer`",
};

const FUNCTIONS = ["fetch", "signer"] as const;
const SWITCHES = ["correctClockSkew", "dangerouslyAllowBrowser"] as const;

/** Every option of a call. */
export const CALL_OPTIONS: Readonly<Record<keyof CallOptions, true>> = {
	signal: true,
	timeoutMs: true,
	attemptTimeoutMs: true,
	maxRetries: true,
	headers: true,
};

const PROVENANCES = ["documented", "provisional"] as const;
const VALIDATION_MODES: readonly ValidationMode[] = ["throw", "warn", "off"];

/** Checks the options, before the first call. */
export function assertClientOptions(options: ClientOptions): void {
	assertObject("options", options);
	const { baseUrl, appId, appSecret, maxResponseBytes } = options;
	const { responseValidation = {}, hooks = {} } = options;
	assertAll([
		() => assertKnownKeys("options", options, Object.keys(CLIENT_OPTIONS), REPLACED_OPTIONS),
		() => assertOneOf("logLevel", options.logLevel, LOG_LEVELS),
		() => assertKnownKeys("hooks", hooks, Object.keys(HOOKS)),
		...Object.keys(HOOKS).map((name) => () => assertFunction(`hooks.${name}`, Object(hooks)[name])),
		() => assertKnownKeys("responseValidation", responseValidation, PROVENANCES),
		...PROVENANCES.map(
			(kind) => () =>
				assertOneOf(`responseValidation.${kind}`, Object(responseValidation)[kind], VALIDATION_MODES),
		),
		...FUNCTIONS.map((name) => () => assertFunction(name, options[name])),
		...SWITCHES.map((name) => () => assertBoolean(name, options[name])),
		() => assertMethods("clock", options.clock, ["now", "setTimer"]),
		() => assertMethods("logger", options.logger, ["debug", "info", "warn", "error"]),
		() => baseUrl !== undefined && assertBaseUrl(baseUrl),
		() => appId !== undefined && assertHeaderValue("appId", appId),
		() => appSecret !== undefined && assertSecretOption(options),
		() => maxResponseBytes !== undefined && assertPositive("maxResponseBytes", maxResponseBytes),
		() => assertHeaders(options.headers),
		() => resolveLimits(options, {}),
	]);
}

function assertSecretOption(options: ClientOptions): void {
	const { appSecret, signer, profile } = options;
	if (signer !== undefined) throw new ConfigurationError("Give either appSecret or signer, not both");
	if (typeof appSecret !== "function") assertAppSecret(appSecret, profile);
	assertSecretIsPrivate(options);
}

/**
 * The limits of a call: its own, then the client's, then the defaults.
 * @throws ConfigurationError if an option of the call is invalid.
 */
export function resolveLimits(client: ClientOptions, call: CallOptions): CallLimits {
	assertKnownKeys("The call's options", call, Object.keys(CALL_OPTIONS));
	if (call.signal !== undefined && typeof call.signal?.addEventListener !== "function")
		throw new ConfigurationError("signal must be an AbortSignal");
	assertHeaders(call.headers);
	const limits = {
		timeoutMs: call.timeoutMs ?? client.timeoutMs ?? 60_000,
		attemptTimeoutMs: call.attemptTimeoutMs ?? client.attemptTimeoutMs ?? 15_000,
		maxRetries: call.maxRetries ?? client.maxRetries ?? 2,
	};
	assertAll([
		() => assertPositive("timeoutMs", limits.timeoutMs),
		() => assertPositive("attemptTimeoutMs", limits.attemptTimeoutMs),
		() => assertRetries(limits.maxRetries),
	]);
	return limits;
}

function assertRetries(maxRetries: number): void {
	if (Number.isSafeInteger(maxRetries) && maxRetries >= 0) return;
	throw new ConfigurationError("maxRetries must be an integer of at least 0");
}

/** Rejects an invalid base URL, without quoting it: it may contain credentials. */
export function assertBaseUrl(baseUrl: string): void {
	const url = parseUrl(baseUrl);
	if (url === undefined || !/^https?:$/.test(url.protocol)) {
		throw new ConfigurationError(
			"baseUrl must be an absolute http or https URL, such as https://gateway.example",
		);
	}
	if (url.username + url.password + url.search + url.hash !== "") {
		throw new ConfigurationError("baseUrl must have no credentials, query or fragment");
	}
}

/** Rejects the use of an App Secret where strangers have the code, unless that is allowed. */
export function assertSecretIsPrivate({ dangerouslyAllowBrowser }: ClientOptions): void {
	if (dangerouslyAllowBrowser === true || !isPublic()) return;
	throw new ConfigurationError(
		`appSecret in a browser or an app can be read by everybody who has it: ${
			isSimulatedPage() ? "in a test give `local.clientOptions`, " : "sign on your server with `signer`, "
		}or set dangerouslyAllowBrowser for a tool that only its owner opens`,
	);
}

/** Rejects a secret that would make every signature wrong. */
export function assertAppSecret(
	secret: unknown,
	profile: WithSigningProfile | undefined,
): asserts secret is string | Uint8Array {
	const problem = describeSecretProblem(secret, profile?.signing?.secret);
	if (problem !== undefined) throw new ConfigurationError(`appSecret ${problem}`);
}

/** Rejects headers of the signature, and invalid names and values. */
export function assertHeaders(headers: Readonly<Record<string, string>> | undefined): void {
	if (headers === undefined) return;
	// The entries of a Headers or a Map are not own properties, and would be ignored silently.
	if (!isPlainObject(headers)) {
		throw new ConfigurationError('headers must be a plain object of strings, such as { "X-Trace": "1" }');
	}
	for (const [name, value] of Object.entries(headers)) {
		if (RESERVED_HEADERS.includes(name.toLowerCase())) {
			throw new ConfigurationError(
				`The header ${name} belongs to the client and its connection: leave it out`,
			);
		}
		if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
			throw new ConfigurationError("A header name contains an invalid character");
		if (typeof value !== "string" || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
			throw new ConfigurationError(`The value of the header ${shownKey(name)} isn't a valid header value`);
		}
	}
}

/** The headers of a request; a later one replaces an earlier one, ignoring the case of its name. */
export function mergeHeaders(
	...sets: (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
	// No `Headers`: where nothing else has, it would load the platform's `fetch`.
	const all: [string, string][] = [
		["accept", "application/json"],
		...sets.flatMap((set) => Object.entries(set ?? {})),
	];
	return Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), value.trim()]));
}
