import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type Child, startChild } from "./child.ts";
import type { Halt } from "./halts.ts";
import { type ReceiverSettings, SETTINGS_VARIABLE } from "./receiver-settings.ts";

const RECEIVER = new URL("receiver.ts", import.meta.url);

/** A receiver's process. */
export class Receiver {
	readonly worker: string;
	readonly url: string;
	readonly #child: ChildProcess;
	readonly #exited: Promise<unknown[]>;
	/** Requests without a response. */
	inFlight = 0;
	#nextInterruption = Promise.withResolvers<"interrupted">();
	/** The run in which it has stopped itself, until it is continued. */
	haltedIn: string | undefined;
	isKilled = false;

	constructor(worker: number, { process: child, lines, firstLine: port }: Child) {
		this.worker = String(worker);
		this.url = `http://127.0.0.1:${port}/`;
		this.#child = child;
		this.#exited = once(child, "exit");
		lines.on("line", (runId) => {
			this.haltedIn = runId;
			this.#interrupt();
		});
	}

	/** Whether it works at the moment. */
	get isRunning(): boolean {
		return this.haltedIn === undefined && !this.isKilled;
	}

	/** Resolves when it is stopped, continued or killed the next time. */
	get interruption(): Promise<"interrupted"> {
		return this.#nextInterruption.promise;
	}

	/** Whether it ended by itself, which it never should. */
	get hasCrashed(): boolean {
		return !this.isKilled && (this.#child.exitCode !== null || this.#child.signalCode !== null);
	}

	/** Makes it stop itself at a place of its next run. */
	halt(order: Halt): void {
		this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
	}

	continue(): void {
		this.haltedIn = undefined;
		this.#signal("SIGCONT");
	}

	/** Kills it at once. */
	async kill(): Promise<void> {
		if (this.hasCrashed) return;
		this.isKilled = true;
		this.#signal("SIGKILL");
		await this.#exited;
	}

	#interrupt(): void {
		this.#nextInterruption.resolve("interrupted");
		this.#nextInterruption = Promise.withResolvers();
	}

	#signal(signal: NodeJS.Signals): void {
		this.#interrupt();
		this.#child.kill(signal);
	}
}

/** All receivers that there ever were. */
export class Receivers implements AsyncDisposable {
	readonly #settings: Omit<ReceiverSettings, "worker">;
	readonly all: Receiver[] = [];
	#workers = 0;

	constructor(settings: Omit<ReceiverSettings, "worker">) {
		this.#settings = settings;
	}

	/** Those that are there, paused or not. */
	get alive(): Receiver[] {
		return this.all.filter(({ isKilled }) => !isKilled);
	}

	/** Those that work at the moment. */
	get running(): Receiver[] {
		return this.all.filter(({ isRunning }) => isRunning);
	}

	/** Starts one more. */
	async start(): Promise<Receiver> {
		const worker = this.#workers++;
		const settings: ReceiverSettings = { ...this.#settings, worker };
		const child = await startChild(RECEIVER, SETTINGS_VARIABLE, settings);
		const receiver = new Receiver(worker, child);
		this.all.push(receiver);
		return receiver;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.alive.map((receiver) => receiver.kill()));
	}
}
