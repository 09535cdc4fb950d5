import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import { usageError } from "../failure.ts";
import { findItem, type Item } from "./items.ts";

type DeliveryItem = Extract<Item, { type: "delivery" }>;

const POLL_MS = 200;

/** Longer than the time-out of an attempt. */
const MAX_WAIT_MS = 15_000;

/**
 * Delivers a webhook now, and waits for the end of the attempt.
 * @throws CommandFailure when no webhook has this id, or beginning of one.
 */
export async function redeliver(local: ConnectedGateway, id: string): Promise<DeliveryItem> {
	const before = await findDelivery(local, id);
	await local.redeliver(before.eventId);
	const endsAt = performance.now() + MAX_WAIT_MS;
	for (;;) {
		const delivery = await findDelivery(local, before.eventId);
		const { attempts, state, nextAttemptAt } = delivery;
		const isOver =
			attempts.length > before.attempts.length && (state !== "pending" || nextAttemptAt !== undefined);
		if (isOver || performance.now() >= endsAt) return delivery;
		await sleep(POLL_MS);
	}
}

async function findDelivery(local: ConnectedGateway, id: string): Promise<DeliveryItem> {
	const item = await findItem(local, id);
	if (item.type === "delivery") return item;
	throw usageError(`a webhook is delivered again, and this id is that of a ${item.type}`);
}
