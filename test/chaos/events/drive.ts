import { setTimeout as sleep } from "node:timers/promises";
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
import { startPostgres } from "../../support/servers/postgres-server.ts";
import type { ChaosCommand } from "../options.ts";
import { play } from "../play.ts";
import { Random } from "../random.ts";
import type { ChaosReport } from "../report.ts";
import type { StoreServer } from "../servers.ts";
import { Courier } from "./courier.ts";
import { JournalReader } from "./journal.ts";
import { LEASE_MS, type ReceiverSettings, SECRET } from "./settings.ts";
import { judgeEvents } from "./verdict.ts";

const RECEIVER = new URL("receiver.ts", import.meta.url);

const FAULTS = { kill: 12, cut: 8, restart: 6, hang: 4, tasks: 3_000 };

/** How many events are open at once. */
const WINDOW = 64;

/** How many events are delivered again after they were acknowledged. */
const REPEAT_SHARE = 0.15;

/** More than any run makes: in the end, each event is read. */
const MOST_EVENTS = 1_000_000;

/** Each is tried again until it is acknowledged: a run that hangs ends before. */
const RETRY_DELAYS_MS = [25, 50, 100, ...Array<number>(5_000).fill(200)];

/** A contact that reads each message and reacts to it. */
const REACTING_CONTACT = "+15550001005";
const CONTACTS = Array.from({ length: 50 }, (_, at) => `+1555765${String(at).padStart(4, "0")}`);

/** What can be made to happen, and how many events it leads to. */
const ACTIONS = { reply: 1, send: 3, sendToReacting: 4 } as const;

/**
 * Delivers events to several receivers behind one store.
 * @param hasInbox - whether their handlers work in the transactions of an inbox.
 */
export async function driveEvents(
	startStore: () => Promise<StoreServer>,
	command: ChaosCommand,
	hasInbox = false,
): Promise<ChaosReport> {
	await using stack = new AsyncDisposableStack();
	const server = stack.use(await startStore());
	const inboxUrl = hasInbox ? server.directUrl : undefined;
	const journalUrl = inboxUrl ?? stack.use(await startPostgres({ fsync: false })).url;
	const journal = stack.use(new JournalReader(journalUrl, hasInbox));
	await journal.createTables();
	const { seed, events, receivers } = command;
	const settings: Omit<ReceiverSettings, "worker"> = { seed, store: server.store, hasInbox, journalUrl };
	const plan = {
		server,
		script: RECEIVER,
		settings,
		processes: receivers,
		tasks: events,
		window: WINDOW,
		faults: FAULTS,
	};
	let responses: Courier["responses"] = {};
	let readEvents = (): LocalGateway["deliveries"] => [];
	const played = await play(command, plan, (children, over) => {
		const courier = new Courier(children, new Random(seed + 1));
		const sender = stack.use(createSender(courier));
		responses = courier.responses;
		readEvents = () => sender.deliveries;
		return {
			make: createMaker(sender, new Random(seed + 2)),
			done: () => courier.acknowledged.size,
			async settle(count) {
				// For the last event, and for the repeats that follow it.
				for (let quiet = 0; quiet < 3; ) {
					quiet = courier.acknowledged.size >= count && courier.inFlight === 0 ? quiet + 1 : 0;
					await sleep(50, undefined, { signal: over });
				}
				// A run that was not recorded shows when its lease is over.
				await sleep(LEASE_MS);
				await courier.repeatAll();
			},
			pending: () =>
				readEvents()
					.map(({ eventId }) => eventId)
					.filter((id) => !courier.acknowledged.has(id)),
		};
	});
	const outcome = {
		events: readEvents().map(({ eventId, state }) => ({ eventId, isDelivered: state === "delivered" })),
		...(await journal.read()),
	};
	const rows = Object.entries(responses).map(([name, count]) => [`response: ${name}`, count]);
	const counts = { ...played.counts, ...Object.fromEntries(rows) };
	return { ...judgeEvents({ ...played, counts }, outcome), journal: outcome };
}

/** Makes the gateway whose events are delivered. */
function createSender(courier: Courier): LocalGateway {
	return createLocalGateway({
		webhookSecret: SECRET,
		deliverTo: courier.deliver,
		rules: "off",
		delays: { sentMs: 1, deliveredMs: 2, readMs: 3, replyMs: 4 },
		webhooks: { retryDelaysMs: RETRY_DELAYS_MS },
		maxEntries: MOST_EVENTS,
	});
}

/** Makes events of all kinds happen, some at a time. */
function createMaker(sender: LocalGateway, random: Random): () => Promise<number> {
	const client = new MessagingGateway(sender.clientOptions);
	const actions = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
	let count = 0;
	return async () => {
		const kind = random.pick(actions);
		if (random.chance(REPEAT_SHARE)) sender.faults.webhooks.repeat({ times: random.between(1, 4) });
		const text = `message ${++count}`;
		const to = kind === "sendToReacting" ? REACTING_CONTACT : random.pick(CONTACTS);
		if (kind === "reply") await sender.contact(to).reply(text);
		else await client.messages.sendText({ to, text });
		return ACTIONS[kind];
	};
}
