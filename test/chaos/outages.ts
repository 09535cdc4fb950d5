import { setTimeout as sleep } from "node:timers/promises";
import { createWebhookRequest } from "messaging-gateway/testing";
import { WAIT_MS } from "../support/patience.ts";
import { post, type ReceiverResponse } from "./courier.ts";
import { PROBE_PREFIX, SECRET } from "./receiver-settings.ts";
import type { Receiver } from "./receivers.ts";
import type { Scene } from "./scene.ts";
import type { Outage } from "./stores.ts";
import { until } from "./until.ts";

/** Makes the store unreachable for a while, and checks each receiver's response. */
export class Outages {
	readonly #scene: Scene;
	/** What a receiver did that it should not. */
	readonly problems: string[] = [];
	/** How often a receiver reported that its store was out of reach. */
	rejections = 0;
	#probes = 0;

	constructor(scene: Scene) {
		this.#scene = scene;
	}

	/** @returns whether a receiver responded. */
	async run(takeDown: Outage): Promise<boolean> {
		const { receivers, random } = this.#scene;
		const bringBack = await takeDown();
		const responsesBefore = this.rejections + this.problems.length;
		try {
			await Promise.all(receivers.running.map((receiver) => this.#assertRejected(receiver)));
			await sleep(random.between(200, 1_500));
		} finally {
			await bringBack();
		}
		await Promise.all(receivers.running.map((receiver) => this.#assertRecovered(receiver)));
		return this.rejections + this.problems.length > responsesBefore;
	}

	async #assertRejected(receiver: Receiver): Promise<void> {
		const response = await this.#probe(receiver);
		if (response === "interrupted") return;
		const { status, code } = response;
		// The store is away until all have responded, so that none of them has waited for it.
		if (status === 503 && code === "store_unavailable") this.rejections++;
		else this.problems.push(`without its store, receiver ${receiver.worker} responded ${status} ${code}`);
	}

	async #assertRecovered(receiver: Receiver): Promise<void> {
		const worksAgain = async (): Promise<boolean> => {
			const response = await this.#probe(receiver);
			return response === "interrupted" ? !receiver.isRunning : response.status === 200;
		};
		if (await until(worksAgain)) return;
		this.problems.push(`receiver ${receiver.worker} did not work again when its store was back`);
	}

	/** Delivers an event that leaves no effect. A receiver that is paused or killed meanwhile proves nothing. */
	async #probe(receiver: Receiver): Promise<ReceiverResponse | "interrupted"> {
		if (!receiver.isRunning) return "interrupted";
		const eventId = `${PROBE_PREFIX}${++this.#probes}`;
		const request = createWebhookRequest(
			"inbound_message",
			{ messageId: eventId },
			{ secret: SECRET, eventId },
		);
		const response = post(receiver, request, WAIT_MS).catch((error: unknown) => {
			return { status: 0, code: String(error), hasRun: false };
		});
		return Promise.race([receiver.interruption, response]);
	}
}
