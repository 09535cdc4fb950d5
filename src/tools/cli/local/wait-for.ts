import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import type { PageQuery } from "../../control/contract.ts";
import { describeDuration } from "../../local-gateway/duration.ts";
import { CommandFailure, usageError } from "../failure.ts";
import { findItem, type Kind, type ListedItem, listItems } from "./items.ts";

const POLL_MS = 200;

/** How many of the newest items are searched. */
const LIMIT = 500;

/** Longer than the time-out of an attempt. */
const MAX_ATTEMPT_MS = 15_000;

type ListedDelivery = Extract<ListedItem, { type: "delivery" }>;

/** What is waited for. */
export interface Awaited extends Pick<PageQuery, "search" | "failed" | "after"> {
	/** Of the message, or of the response; without it, a webhook counts once it is delivered or given up. */
	readonly status?: string | undefined;
	readonly timeoutMs: number;
}

/**
 * Waits for an item; one that is already there counts.
 * @throws CommandFailure when the time is up.
 */
export async function waitFor(
	local: ConnectedGateway,
	kind: Kind,
	{ status, timeoutMs, ...query }: Awaited,
): Promise<ListedItem> {
	const endsAt = performance.now() + timeoutMs;
	for (;;) {
		const { items } = await listItems(local, kind, { ...query, limit: LIMIT, probe: false });
		const found = items.findLast((item) => isAwaited(item, status));
		if (found !== undefined) return found;
		if (performance.now() >= endsAt)
			throw new CommandFailure(`nothing matched within ${describeDuration(timeoutMs)}`);
		await sleep(POLL_MS);
	}
}

function isAwaited(item: ListedItem, status: string | undefined): boolean {
	if (status !== undefined)
		return String(item.type === "delivery" ? item.attempts.at(-1)?.status : item.status) === status;
	return item.type !== "delivery" || item.state === "delivered" || item.state === "failed";
}

/**
 * Delivers a webhook now, and waits for the end of the attempt.
 * @param to - a URL to register for its kind first.
 * @throws CommandFailure when no webhook has this id, or beginning of one.
 */
export async function redeliver(local: ConnectedGateway, id: string, to?: string): Promise<ListedDelivery> {
	const { eventId, kind } = await findDelivery(local, id);
	if (to !== undefined)
		await local.setDestinations({ [kind === "status" ? "statusWebhookUrl" : "inboundWebhookUrl"]: to });
	return afterAttempt(local, eventId, () => local.redeliver(eventId));
}

/** Makes an attempt at the delivery of an event, and waits for its end. */
export async function afterAttempt(
	local: ConnectedGateway,
	eventId: string,
	attempt: () => Promise<void>,
): Promise<ListedDelivery> {
	const before = (await local.deliveries({ search: eventId, limit: LIMIT })).items.find(
		(delivery) => delivery.eventId === eventId,
	);
	const attemptsBefore = before?.attempts.length ?? 0;
	await attempt();
	const endsAt = performance.now() + MAX_ATTEMPT_MS;
	for (;;) {
		const delivery = await findDelivery(local, eventId);
		const { attempts, state, nextAttemptAt } = delivery;
		const isOver = attempts.length > attemptsBefore && (state !== "pending" || nextAttemptAt !== undefined);
		if (isOver || performance.now() >= endsAt) return delivery;
		await sleep(POLL_MS);
	}
}

async function findDelivery(local: ConnectedGateway, id: string): Promise<ListedDelivery> {
	const item = await findItem(local, id);
	if (item.type === "delivery") return item;
	throw usageError(`a webhook is delivered again, and this id is that of a ${item.type}`);
}
