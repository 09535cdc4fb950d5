import { isMessagingGatewayError } from "messaging-gateway";
import { resolveSend, type SendStore } from "messaging-gateway/sends";
import type { Random } from "../random.ts";
import type { FastClock } from "./fast-clock.ts";
import type { PlannedSend } from "./plan.ts";
import type { RemoteGateway } from "./remote-gateway.ts";
import type { JobResult } from "./settings.ts";

const MINUTE_MS = 60_000;
/** The longest wait between two attempts; a window that ends later is ended by a reply, or waited for again. */
const MAX_WAIT_MS = 2 * MINUTE_MS;
const MIN_WAIT_MS = 5_000;

/** What a driver works with. */
export interface DriverScene {
	readonly clock: FastClock;
	readonly random: Random;
	readonly gateway: RemoteGateway;
	/** Decides; it sends nothing. */
	readonly store: SendStore;
	/** Gives a job of a send to a worker. */
	readonly run: (send: PlannedSend) => Promise<JobResult | undefined>;
	readonly over: AbortSignal;
}

/** Brings sends to their ends, as a queue and a person would. */
export class Driver {
	readonly #scene: DriverScene;
	/** How often each of these happened. */
	readonly counts: Record<string, number> = {};
	/** How many sends have come to an end. */
	done = 0;
	/** The keys of those that have not yet. */
	readonly pending = new Set<string>();

	constructor(scene: DriverScene) {
		this.#scene = scene;
	}

	/** Repeats a send until it is accepted or unresolved. Of those that stay unresolved, some are decided. */
	async drive(send: PlannedSend): Promise<void> {
		this.pending.add(send.key);
		await this.#bringToEnd(send);
		if (this.#scene.over.aborted) return;
		this.pending.delete(send.key);
		this.done++;
	}

	async #bringToEnd(send: PlannedSend): Promise<void> {
		const { clock, random, over } = this.#scene;
		while (!over.aborted) {
			const status = await this.#repeat(send);
			// The window over, a further message would be accepted.
			await this.#reply(send);
			if (status === "accepted") return;
			await this.#decide(send);
			await clock.pass(random.between(MIN_WAIT_MS, MAX_WAIT_MS));
			if ((await this.#repeat(send)) === "accepted" || !send.isDecided || send.decisions > 0) return;
			if (!(await this.#decideInTime(send))) return;
		}
	}

	/** Gives the send to workers until one of them knows what it came to. */
	async #repeat(send: PlannedSend): Promise<JobResult["status"] | undefined> {
		const { clock, run, over } = this.#scene;
		while (!over.aborted) {
			const workers = send.isRaced ? [run(send), run(send)] : [run(send)];
			const results = (await Promise.all(workers)).filter((result) => result !== undefined);
			const statuses = results.map(({ status }) => status);
			for (const status of ["accepted", "unresolved", "given_up"] as const)
				if (statuses.includes(status)) return status;
			let waitMs = MIN_WAIT_MS;
			for (const result of results) {
				if (result.status !== "error") continue;
				this.#count(result.code);
				waitMs = Math.max(waitMs, result.retryAfterMs);
				if (result.code !== "send_in_progress") await this.#reply(send);
			}
			await clock.pass(Math.min(waitMs, MAX_WAIT_MS));
		}
		return undefined;
	}

	async #reply({ to }: PlannedSend): Promise<void> {
		if (await this.#scene.gateway.act({ type: "reply", from: to, text: "Yes" })) this.#count("replies");
	}

	/** Waits until the decision to send again is possible. @returns whether it was made. */
	async #decideInTime(send: PlannedSend): Promise<boolean> {
		const { clock, over } = this.#scene;
		while (!over.aborted) {
			const waitMs = await this.#decide(send);
			if (waitMs === undefined) return send.decisions > 0;
			await clock.pass(waitMs);
		}
		return false;
	}

	/** Decides to send again. @returns in how many milliseconds it is possible, or `undefined` if nothing is left to do. */
	async #decide(send: PlannedSend): Promise<number | undefined> {
		try {
			const { status } = await resolveSend(this.#scene.store, send.key, "send_again");
			if (status !== "open") return undefined;
			send.decisions++;
			this.#count("send_again");
			return undefined;
		} catch (error) {
			if (!isMessagingGatewayError(error) || !("retryAfterMs" in error)) throw error;
			this.#count(`send_again ${error.code}`);
			return Number(error.retryAfterMs) + 1;
		}
	}

	#count(name: string): void {
		this.counts[name] = (this.counts[name] ?? 0) + 1;
	}
}
