import { type Around, type AroundOptions, runAround } from "../around.ts";
import type { AnyMessagingGatewayError, Outcome } from "../errors.ts";
import { platformConsole } from "../runtime.ts";

/** Receives log lines, such as `console` and most loggers. */
export interface Logger {
	debug(message: string): void;
	info(message: string): void;
	warn(message: string): void;
	error(message: string): void;
}

/** The least severe line to log. */
export type LogLevel = "off" | "error" | "warn" | "info" | "debug";

/** Identifies a call. It has the path's template, never the path. */
export interface CallInfo {
	/** The operation's id, e.g. `"messages.sendText"`, or `"request"` for `gateway.request`. */
	operationId: string;
	/** The HTTP method. */
	method: string;
	/** The path with the names of its parameters, e.g. `"/mapping/{toNumber}"`. */
	pathTemplate: string;
}

/** Identifies an attempt and its call. */
export interface AttemptInfo extends CallInfo {
	/** The number of the attempt, from 1. */
	attempt: number;
	/** The gateway's base URL. */
	baseUrl: string;
	/** The call. All its hooks get the same object, so you can use it as a key. */
	call: CallInfo;
}

/** How a call ended. */
export interface CallEnding {
	/** How many attempts the call took. */
	attempts: number;
	/**
	 * The code of the error that the call rejects with. It is `undefined` if the call succeeded, and `"aborted"` if
	 * your signal ended it, or Next.js threw on purpose.
	 */
	errorCode: string | undefined;
	/** Whether the gateway may have carried out the call, if it failed. */
	outcome: Outcome | undefined;
}

/** How an attempt ended. */
export interface AttemptEnding {
	/** The HTTP status, if there was a response. */
	status: number | undefined;
	/** The gateway's request id, if the response has one that is a UUID. */
	requestId: string | undefined;
	/** The code of the attempt's error, or `"aborted"`. It is `undefined` if the attempt succeeded. */
	errorCode: string | undefined;
}

/** Describes the response to an attempt. */
export interface ResponseInfo extends AttemptInfo {
	/** The HTTP status. */
	status: number;
	/** The time from sending until the whole response was read, in milliseconds. */
	durationMs: number;
	/** The gateway's request id, if the response has one that is a UUID. */
	requestId: string | undefined;
}

/** Describes a failed attempt that the client retries. */
export interface RetryInfo extends AttemptInfo {
	/** How long the client waits before the retry, in milliseconds. */
	delayMs: number;
	/** The code of this attempt's error. */
	reason: string;
}

/** Describes a call that failed for good. */
export interface FailureInfo extends AttemptInfo {
	/** The error that the call rejects with. */
	error: AnyMessagingGatewayError;
}

/** Observes or wraps calls and attempts. If a hook throws, the client logs a warning and continues unchanged. */
export interface Hooks {
	/** Called when an attempt is about to be sent. */
	onRequest?: ((info: AttemptInfo) => void) | undefined;
	/** Called when an attempt got a response, with any status. */
	onResponse?: ((info: ResponseInfo) => void) | undefined;
	/** Called when the client will retry after this attempt. */
	onRetry?: ((info: RetryInfo) => void) | undefined;
	/** Called when a call failed. */
	onError?: ((info: FailureInfo) => void) | undefined;
	/** Wraps a call, from the check of its input to its result, with all attempts. */
	aroundCall?: Around<CallInfo, CallEnding> | undefined;
	/** Wraps an attempt, from sending the signed request until its response is read. */
	aroundAttempt?: Around<AttemptInfo, AttemptEnding> | undefined;
}

/** Every hook, to detect misspelt ones; the type ensures that none is missing here. */
export const HOOKS: Readonly<Record<keyof Hooks, true>> = {
	onRequest: true,
	onResponse: true,
	onRetry: true,
	onError: true,
	aroundCall: true,
	aroundAttempt: true,
};

/** What the hooks get that only observe. */
interface Reports {
	onRequest: AttemptInfo;
	onResponse: ResponseInfo;
	onRetry: RetryInfo;
	onError: FailureInfo;
}

type Listeners = { readonly [Name in keyof Reports]?: ((info: Reports[Name]) => unknown) | undefined };

/** What the hooks get that wrap: what runs, and how it ended. */
interface Arounds {
	aroundCall: [CallInfo, CallEnding];
	aroundAttempt: [AttemptInfo, AttemptEnding];
}

type AroundHooks = {
	readonly [Name in keyof Arounds]?: Around<Arounds[Name][0], Arounds[Name][1]> | undefined;
};

/** The log line of each report. */
type Lines = {
	[Name in keyof Reports]: { level: Exclude<LogLevel, "off">; line: (info: Reports[Name]) => string };
};

const LINES: Lines = {
	onRequest: { level: "debug", line: ({ attempt }) => `sending, attempt ${attempt}` },
	onResponse: {
		level: "debug",
		line: ({ status, durationMs }) => `${status} after ${Math.round(durationMs)} ms`,
	},
	onRetry: {
		level: "info",
		line: ({ reason, delayMs }) => `${reason}, trying again in ${Math.round(delayMs)} ms`,
	},
	// Only "debug", since the caller gets the error itself.
	onError: { level: "debug", line: ({ error }) => `failed with ${error.code}` },
};

/** From the fewest to the most log lines. */
export const LOG_LEVELS: readonly LogLevel[] = ["off", "error", "warn", "info", "debug"];

/** Where an {@link Observer} reports to; each is an option of the client. */
interface ObserverOptions {
	readonly hooks?: Hooks | undefined;
	readonly logger?: Logger | undefined;
	readonly logLevel?: LogLevel | undefined;
}

/** Reports what happens to the hooks and the logger. Nothing here can change a call. */
export class Observer {
	readonly #hooks: Hooks;
	readonly #logger: Logger;
	readonly #level: number;
	readonly #warned = new Set<string>();

	constructor(options: ObserverOptions) {
		this.#hooks = options.hooks ?? {};
		this.#logger = options.logger ?? platformConsole;
		this.#level = LOG_LEVELS.indexOf(options.logLevel ?? "warn");
	}

	/** Reports to a hook and to the log; the information is only gathered if either is interested. */
	report<Name extends keyof Reports>(name: Name, createInfo: () => Reports[Name]): void {
		const listeners: Listeners = this.#hooks;
		const hook = listeners[name];
		const { level, line } = LINES[name];
		if (hook === undefined && !this.#isLogged(level)) return;
		const info = createInfo();
		try {
			// A hook may be async: its rejection must not go unhandled.
			Promise.resolve(hook?.(info)).catch(() => this.#warnOfHook(name));
		} catch {
			this.#warnOfHook(name);
		}
		this.#log(level, () => `${info.method} ${info.pathTemplate}: ${line(info)}`);
	}

	/** Runs a call or an attempt inside its hook, if there is one. */
	around<Name extends keyof Arounds, Result>(
		name: Name,
		options: Omit<AroundOptions<Arounds[Name][0], Result, Arounds[Name][1]>, "onFailure">,
	): Promise<Result> {
		const hooks: AroundHooks = this.#hooks;
		const hook = hooks[name];
		if (hook === undefined) return options.run();
		return runAround(hook, { ...options, onFailure: () => this.#warnOfHook(name) });
	}

	/** Warns once for each key over the life of the client. */
	warnOnce(key: string, message: string): void {
		if (this.#warned.has(key)) return;
		this.#warned.add(key);
		this.#log("warn", () => message);
	}

	#warnOfHook(name: keyof Hooks): void {
		this.warnOnce(`hook ${name}`, `hooks.${name} failed; the call goes on without it`);
	}

	#isLogged(level: Exclude<LogLevel, "off">): boolean {
		return LOG_LEVELS.indexOf(level) <= this.#level;
	}

	#log(level: Exclude<LogLevel, "off">, message: () => string): void {
		if (!this.#isLogged(level)) return;
		try {
			// A logger may be async: its rejection must not go unhandled.
			Promise.resolve(this.#logger[level](`messaging-gateway: ${message()}`)).catch(() => undefined);
		} catch {
			// A logger that fails must not fail the call, and nothing is left to log to.
		}
	}
}
