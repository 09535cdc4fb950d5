import { type Around, type AroundOptions, runAround } from "../around.ts";
import type { AnyMessagingGatewayError, Outcome } from "../errors.ts";
import { platformConsole } from "../runtime.ts";
import type { ClientOptions } from "./options.ts";

/** Where log lines go; `console` fits, and so do most loggers. */
export interface Logger {
	debug(message: string): void;
	info(message: string): void;
	warn(message: string): void;
	error(message: string): void;
}

/** The least severe line that is logged. */
export type LogLevel = "off" | "error" | "warn" | "info" | "debug";

/** Which call. It holds the path's template, never the path. */
export interface CallInfo {
	/** The operation's id, e.g. `"messages.sendText"`, or `"request"` for `gateway.request`. */
	operationId: string;
	/** The HTTP method. */
	method: string;
	/** The path with its parameters' names, e.g. `"/mapping/{toNumber}"`. */
	pathTemplate: string;
}

/** Which attempt of which call. */
export interface AttemptInfo extends CallInfo {
	/** 1 for the first attempt. */
	attempt: number;
	/** The gateway's base address. */
	baseUrl: string;
	/** The call: one and the same object for all that is told of it, so that it can be a key. */
	call: CallInfo;
}

/** How a call ended. */
export interface CallEnding {
	/** How many attempts were made. */
	attempts: number;
	/**
	 * The code of the error that it rejects with, or `"aborted"` where the caller's signal ended it; `undefined`
	 * where it succeeded.
	 */
	errorCode: string | undefined;
	/** What is known of its fate, where it failed. */
	outcome: Outcome | undefined;
}

/** How an attempt ended. */
export interface AttemptEnding {
	/** The HTTP status, where it was answered. */
	status: number | undefined;
	/** The gateway's id of the request, where the answer names one that is a UUID (specification, section 2.1). */
	requestId: string | undefined;
	/** The code of the error that it ended with, or `"aborted"`; `undefined` where it made the call succeed. */
	errorCode: string | undefined;
}

/** An attempt was answered. */
export interface ResponseInfo extends AttemptInfo {
	/** The HTTP status. */
	status: number;
	/** From sending until the whole answer was read, in milliseconds. */
	durationMs: number;
	/** The gateway's id of the request, where the answer names one that is a UUID (specification, section 2.1). */
	requestId: string | undefined;
}

/** An attempt will be followed by another one. */
export interface RetryInfo extends AttemptInfo {
	/** How long the client waits first, in milliseconds. */
	delayMs: number;
	/** Why: the code of the error that this attempt ended with. */
	reason: string;
}

/** A call failed for good. */
export interface FailureInfo extends AttemptInfo {
	/** What the call rejects with. */
	error: AnyMessagingGatewayError;
}

/**
 * Functions that are told what happens, and functions that run a call or an attempt. One that throws changes
 * nothing but a warning.
 */
export interface Hooks {
	/** An attempt is about to be sent. */
	onRequest?: ((info: AttemptInfo) => void) | undefined;
	/** An attempt was answered, whatever the status. */
	onResponse?: ((info: ResponseInfo) => void) | undefined;
	/** An attempt will be repeated. */
	onRetry?: ((info: RetryInfo) => void) | undefined;
	/** A call failed. */
	onError?: ((info: FailureInfo) => void) | undefined;
	/** Runs a call, from the check of its input on, with all its attempts. */
	aroundCall?: Around<CallInfo, CallEnding> | undefined;
	/** Runs an attempt: from sending the signed request until its answer is read. */
	aroundAttempt?: Around<AttemptInfo, AttemptEnding> | undefined;
}

/** Every hook, so that a misspelt one is told; the type makes sure that none is missing here. */
export const HOOKS: Readonly<Record<keyof Hooks, true>> = {
	onRequest: true,
	onResponse: true,
	onRetry: true,
	onError: true,
	aroundCall: true,
	aroundAttempt: true,
};

/** The hooks that are only told of something. */
type Notification = "onRequest" | "onResponse" | "onRetry" | "onError";

/** From the least to the most that is logged. */
export const LOG_LEVELS: readonly LogLevel[] = ["off", "error", "warn", "info", "debug"];

/** Tells hooks and logger what happens. Nothing here can change a call. */
export class Observer {
	readonly #hooks: Hooks;
	readonly #logger: Logger;
	readonly #level: number;
	readonly #warned = new Set<string>();

	constructor(options: Pick<ClientOptions, "hooks" | "logger" | "logLevel">) {
		this.#hooks = options.hooks ?? {};
		this.#logger = options.logger ?? platformConsole;
		this.#level = LOG_LEVELS.indexOf(options.logLevel ?? "warn");
	}

	request(info: AttemptInfo): void {
		this.#tell("onRequest", info);
		this.#log("debug", () => `${describe(info)}: sending, attempt ${info.attempt}`);
	}

	response(info: ResponseInfo): void {
		this.#tell("onResponse", info);
		this.#log("debug", () => `${describe(info)}: ${info.status} after ${Math.round(info.durationMs)} ms`);
	}

	retry(info: RetryInfo): void {
		this.#tell("onRetry", info);
		this.#log(
			"info",
			() => `${describe(info)}: ${info.reason}, trying again in ${Math.round(info.delayMs)} ms`,
		);
	}

	failure(info: FailureInfo): void {
		this.#tell("onError", info);
		// Its caller gets the error itself, so that here it is only a detail of what happened.
		this.#log("debug", () => `${describe(info)}: failed with ${info.error.code}`);
	}

	/** Runs a call inside its hook, where there is one. */
	aroundCall<Result>(
		options: Omit<AroundOptions<CallInfo, Result, CallEnding>, "onFailure">,
	): Promise<Result> {
		const onFailure = (): void => this.#warnOfHook("aroundCall");
		return runAround(this.#hooks.aroundCall, { ...options, onFailure });
	}

	/** Runs an attempt inside its hook, where there is one. */
	aroundAttempt<Result>(
		options: Omit<AroundOptions<AttemptInfo, Result, AttemptEnding>, "onFailure">,
	): Promise<Result> {
		const onFailure = (): void => this.#warnOfHook("aroundAttempt");
		return runAround(this.#hooks.aroundAttempt, { ...options, onFailure });
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

	#tell<Name extends Notification>(name: Name, info: Parameters<NonNullable<Hooks[Name]>>[0]): void {
		const hook = this.#hooks[name] as ((value: typeof info) => unknown) | undefined;
		if (hook === undefined) return;
		const warn = (): void => this.#warnOfHook(name);
		try {
			// A hook may be async: its rejection must not go unhandled.
			Promise.resolve(hook(info)).catch(warn);
		} catch {
			warn();
		}
	}

	#log(level: Exclude<LogLevel, "off">, message: () => string): void {
		if (LOG_LEVELS.indexOf(level) > this.#level) return;
		try {
			// A logger may be async: its rejection must not go unhandled.
			Promise.resolve(this.#logger[level](`messaging-gateway: ${message()}`)).catch(() => undefined);
		} catch {
			// A logger that fails must not fail the call, and there is nowhere left to say so.
		}
	}
}

function describe(info: CallInfo): string {
	return `${info.method} ${info.pathTemplate}`;
}
