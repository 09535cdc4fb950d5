import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import type { PageQuery } from "../../control/contract.ts";
import { describeDuration } from "../../local-gateway/duration.ts";
import { CommandFailure } from "../failure.ts";
import { type Item, type Kind, listItems } from "./items.ts";

const POLL_MS = 200;

/** How many of the newest items are searched. */
const LIMIT = 500;

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
): Promise<Item> {
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

function isAwaited(item: Item, status: string | undefined): boolean {
	if (status !== undefined)
		return String(item.type === "delivery" ? item.attempts.at(-1)?.status : item.status) === status;
	return item.type !== "delivery" || item.state === "delivered" || item.state === "failed";
}
