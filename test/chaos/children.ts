import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { dyingWithParent } from "../support/servers/server-process.ts";
import type { Random } from "./random.ts";

/** The variable that holds a child's settings as JSON. */
const VARIABLE = "CHAOS_SETTINGS";

/** The settings of every child, in its environment. */
export interface ChildSettings {
	/** Its number: no other child of the run has it. */
	readonly worker: number;
}

/** Reads the settings of this process, which ends with its parent. */
export function readSettings<Settings extends ChildSettings>(): Settings {
	// The pipe closes when the parent dies for any reason.
	process.stdin.on("close", () => process.exit()).resume();
	return JSON.parse(process.env[VARIABLE] ?? "") as Settings;
}

/** A process that works with a store until it is killed. */
export class Child {
	readonly worker: number;
	/** Its first line, which it prints when it is ready. */
	readonly firstLine: string;
	/** What it prints after that. */
	readonly lines: Interface;
	/** Resolves when its process is gone. */
	readonly gone: Promise<unknown>;
	readonly #process: ChildProcess;
	/** How many tasks it has. */
	busy = 0;
	/** How often it reported that its store is out of reach, and how often it finished a task. */
	setbacks = 0;
	successes = 0;
	isKilled = false;

	private constructor(worker: number, child: ChildProcess, lines: Interface, firstLine: string) {
		this.worker = worker;
		this.firstLine = firstLine;
		this.lines = lines;
		this.#process = child;
		this.gone = once(child, "exit");
		// One that is killed reads nothing; its exit tells.
		child.stdin?.on("error", () => undefined);
	}

	/** Starts a script, and waits until it is ready. @throws Error if it ends before. */
	static async start(script: URL, settings: ChildSettings): Promise<Child> {
		const path = fileURLToPath(script);
		const command = [process.execPath, "--conditions=@messaging-gateway/source", path];
		const [file = process.execPath, ...args] = dyingWithParent("SIGKILL", command);
		const child = spawn(file, args, {
			env: { ...process.env, [VARIABLE]: JSON.stringify(settings) },
			stdio: ["pipe", "pipe", "inherit"],
		});
		const ended = once(child, "exit").then(() => {
			throw new Error(`${path} ended before it was ready`);
		});
		const lines = createInterface(child.stdout);
		const [firstLine] = await Promise.race([once(lines, "line"), ended]);
		ended.catch(() => undefined);
		return new Child(settings.worker, child, lines, String(firstLine));
	}

	/** Whether it was killed, or ended by itself. */
	get isGone(): boolean {
		return this.isKilled || this.hasCrashed;
	}

	/** Whether it ended by itself, which it never should. */
	get hasCrashed(): boolean {
		return !this.isKilled && (this.#process.exitCode !== null || this.#process.signalCode !== null);
	}

	/** Writes a line to it. */
	send(line: string): void {
		this.#process.stdin?.write(`${line}\n`);
	}

	/** Kills it at once. */
	async kill(): Promise<void> {
		if (this.hasCrashed) return;
		this.isKilled = true;
		this.#process.kill("SIGKILL");
		await this.gone;
	}
}

/** All processes of a script that there ever were. */
export class Children implements AsyncDisposable {
	readonly all: Child[] = [];
	readonly #script: URL;
	readonly #settings: object;
	#count = 0;

	constructor(script: URL, settings: object) {
		this.#script = script;
		this.#settings = settings;
	}

	get alive(): Child[] {
		return this.all.filter(({ isGone }) => !isGone);
	}

	get crashes(): number {
		return this.all.filter(({ hasCrashed }) => hasCrashed).length;
	}

	/** Starts one more. */
	async start(): Promise<void> {
		this.all.push(await Child.start(this.#script, { ...this.#settings, worker: this.#count++ }));
	}

	/** The less busy of two. */
	choose(random: Random): Child {
		const { alive } = this;
		const [one, other] = [random.pick(alive), random.pick(alive)];
		return one.busy <= other.busy ? one : other;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.alive.map((child) => child.kill()));
	}
}
