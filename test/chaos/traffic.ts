import { setTimeout as sleep } from "node:timers/promises";
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
import type { Courier } from "./courier.ts";
import type { Play } from "./play.ts";
import type { Random } from "./random.ts";
import { SECRET } from "./receiver-settings.ts";

/** More than any run makes: in the end, each event is read. */
const MOST_EVENTS = 1_000_000;

/** How often each is tried again: a run that hangs ends before. */
const MAX_RETRIES = 5_000;

/** How many events are open at once. */
const WINDOW = 64;

/** How many events are delivered again after they were acknowledged. */
const REPEAT_SHARE = 0.15;

const FIRST_RETRY_DELAYS_MS = [25, 50, 100];
const RETRY_DELAY_MS = 200;

/** A contact that reads each message and reacts to it. */
const REACTING_CONTACT = "+15550001005";
const CONTACTS = Array.from({ length: 50 }, (_, at) => `+1555765${String(at).padStart(4, "0")}`);

/** How long it takes until the next events when there are enough, but a fault still waits for some. */
const TRICKLE_MS = 100;

/** What can be made to happen, and how many events it leads to. */
const ACTIONS = { reply: 1, send: 3, sendToReacting: 4 } as const;

/** Makes the gateway whose events are delivered. */
export function createSender(courier: Courier): LocalGateway {
	const retries = Array<number>(MAX_RETRIES).fill(RETRY_DELAY_MS);
	return createLocalGateway({
		webhookSecret: SECRET,
		deliverTo: courier.deliver,
		rules: "off",
		delays: { sentMs: 1, deliveredMs: 2, readMs: 3, replyMs: 4 },
		webhooks: { retryDelaysMs: [...FIRST_RETRY_DELAYS_MS, ...retries] },
		maxEntries: MOST_EVENTS,
	});
}

/**
 * Makes events of all kinds, as fast as they are processed: as many as the options say, and more if faults need them.
 * @returns how many.
 */
export async function makeEvents(
	sender: LocalGateway,
	{ play, courier, random, over }: { play: Play; courier: Courier; random: Random; over: AbortSignal },
): Promise<number> {
	const client = new MessagingGateway(sender.clientOptions);
	let made = 0;
	const actions = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
	while (!play.isOver(made)) {
		if (made >= courier.acknowledged.size + WINDOW) {
			await sleep(5, undefined, { signal: over });
			continue;
		}
		if (made >= play.limit) await sleep(TRICKLE_MS, undefined, { signal: over });
		const kind = random.pick(actions);
		if (random.chance(REPEAT_SHARE)) sender.faults.webhooks.repeat({ times: random.between(1, 4) });
		made += ACTIONS[kind];
		const text = `message ${made}`;
		if (kind === "reply") await sender.contact(random.pick(CONTACTS)).reply(text);
		else
			await client.messages.sendText({
				to: kind === "send" ? random.pick(CONTACTS) : REACTING_CONTACT,
				text,
			});
	}
	return made;
}
