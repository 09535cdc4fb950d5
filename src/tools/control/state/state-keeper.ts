import { describeIssue, OWN_MESSAGES } from "../../../library/catalogue/check.ts";
import { ConfigurationError } from "../../../library/errors.ts";
import { platformConsole, systemClock } from "../../../library/runtime.ts";
import type { NonceStore } from "../../../library/signing/nonce-store.ts";
import type { ChangeListener } from "../../local-gateway/change-feed.ts";
import type { World } from "../../local-gateway/world.ts";
import { parseJson } from "../parse-json.ts";
import { stateOf } from "./state.ts";
import { STATE_VERSION, type State, stateSchema } from "./state-schema.ts";

/** A file that keeps the state of a gateway, for one process at a time. */
export interface StateFile {
	readonly name: string;
	/** @returns the content; empty in a new file. */
	read(): string;
	/** Replaces the content; after a crash the file has the old one or the new one. */
	replace(content: string): void;
	/** Lets other processes use the file. */
	close(): void;
}

/** How long a change waits for others to be written with it; older changes survive a crash. */
const DELAY_MS = 100;

/** How many times longer the pause between two writes is than a write, so that a large state does not stop the gateway. */
const PAUSE = 10;

/** How many characters are written in a millisecond on average: each write is of the whole state, and disks wear. */
const AVERAGE_RATE = 256;

/** The longest pause, and so the most that a killed process loses. */
const MAX_PAUSE_MS = 30_000;

/** How long to wait after a failure, such as a full disk. */
const RETRY_DELAY_MS = 1_000;

/** The start of each state file. */
const HEADER = /^\s*\{\s*"messagingGatewayState":\s*(\d+)\b/;

/** Reads the state of an earlier run, and writes each later one. */
export class StateKeeper implements ChangeListener {
	/** `undefined` in a new file. */
	readonly saved: State | undefined;
	readonly #file: StateFile;
	readonly #nonces: Map<string, number>;
	#getWorld: (() => World) | undefined;
	#pauseMs = DELAY_MS;
	#hasFailed = false;
	#cancelTimer: (() => void) | undefined;

	/** @throws ConfigurationError when the file has other content, or its state is damaged. */
	constructor(file: StateFile) {
		this.#file = file;
		try {
			this.saved = parseState(file);
		} catch (error) {
			file.close();
			throw error;
		}
		this.#nonces = new Map(Object.entries(this.saved?.nonces ?? {}));
	}

	/** The nonces of requests: a replay is rejected after a restart, too. */
	readonly nonceStore: NonceStore = {
		remember: async (key, ttlMs) => {
			const now = systemClock.now();
			if ((this.#nonces.get(key) ?? 0) > now) return false;
			this.#nonces.set(key, now + ttlMs);
			return true;
		},
		has: async (key) => (this.#nonces.get(key) ?? 0) > systemClock.now(),
	};

	/** Begins to write: each change of the gateway is followed by a write of everything. */
	start(getWorld: () => World): void {
		this.#getWorld = getWorld;
		this.changed();
	}

	changed(): void {
		this.#cancelTimer ??= systemClock.setTimer(() => this.#write(), this.#pauseMs);
	}

	dropped(): void {
		this.changed();
	}

	reset(): void {
		this.changed();
	}

	/** Writes the remaining changes and closes the file. */
	close(): void {
		if (this.#getWorld === undefined) return;
		if (this.#cancelTimer !== undefined) this.#write();
		this.#cancelTimer?.();
		this.#getWorld = undefined;
		this.#file.close();
	}

	#write(): void {
		this.#cancelTimer?.();
		this.#cancelTimer = undefined;
		if (this.#getWorld === undefined) return;
		const startedAt = systemClock.now();
		for (const [key, expiresAt] of this.#nonces) if (expiresAt <= startedAt) this.#nonces.delete(key);
		const nonces = Object.fromEntries(this.#nonces);
		const state: State = { ...stateOf(this.#getWorld()), nonces };
		try {
			const content = JSON.stringify({ messagingGatewayState: STATE_VERSION, ...state });
			this.#file.replace(content);
			const duration = systemClock.now() - startedAt;
			const pauseMs = Math.max(DELAY_MS, PAUSE * duration, content.length / AVERAGE_RATE);
			this.#pauseMs = Math.min(pauseMs, MAX_PAUSE_MS);
			this.#hasFailed = false;
		} catch (error) {
			this.#reportFailure(error);
			this.#pauseMs = RETRY_DELAY_MS;
			this.changed();
		}
	}

	/** Reports the first failure in a row. Nothing is lost while the process runs, since the write is retried. */
	#reportFailure(error: unknown): void {
		if (this.#hasFailed) return;
		this.#hasFailed = true;
		const reason = error instanceof Error ? error.message : String(error);
		platformConsole.error(`The state couldn't be written and will be retried: ${reason}`);
	}
}

function parseState(file: StateFile): State | undefined {
	const { name } = file;
	const content = file.read();
	if (content === "") return undefined;
	const version = HEADER.exec(content)?.[1];
	if (version === undefined) {
		throw new ConfigurationError(
			`${name} isn't a state file of this package; it wasn't changed: name another file`,
		);
	}
	if (Number(version) !== STATE_VERSION) {
		throw new ConfigurationError(
			`The state file ${name} has version ${version}, but this package needs version ${STATE_VERSION}: ` +
				"use the package version that wrote it, or name another file",
		);
	}
	const result = stateSchema.safeParse(parseJson(content), OWN_MESSAGES);
	if (result.success) return result.data;
	const [issue] = result.error.issues.map((found) => describeIssue(stateSchema, found));
	const problem = `${issue?.path ?? ""} ${issue?.message ?? ""}`.trim();
	throw new ConfigurationError(
		`The state in ${name} is damaged: ${problem}; name another file, or remove this one`,
	);
}
