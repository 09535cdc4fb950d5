/** Calls an operation with a written profile, and compares what happens with what the gateway has. */
import type { MessagingGateway } from "messaging-gateway";
import {
	AGENTS,
	CONTACT,
	CONTACTS,
	LINE,
	QUEUE,
	STATS,
	type StrangeAccount,
	type StrangeMessage,
	WEBHOOKS,
} from "./account.ts";
import type { StrangeShape } from "./strange-gateway.ts";

/** `right`, or what went wrong: values that are false, or are not there, or a call that fails. */
export type Outcome =
	| { readonly kind: "right" }
	| { readonly kind: "wrong" | "lacks" | "fails"; readonly why: string };

interface Tried {
	readonly gateway: MessagingGateway;
	readonly account: StrangeAccount;
	readonly shape: StrangeShape;
}

class Wrong extends Error {}
class Lacks extends Error {}

export async function tryOperation(id: string, tried: Tried): Promise<Outcome> {
	const attempt = ATTEMPTS[id];
	if (attempt === undefined) return { kind: "fails", why: "not tried" };
	try {
		await attempt(tried);
		return { kind: "right" };
	} catch (error) {
		const kind = error instanceof Wrong ? "wrong" : error instanceof Lacks ? "lacks" : "fails";
		return { kind, why: error instanceof Error ? error.message : "unknown" };
	}
}

const PICTURE = "https://files.example/dot.png";
const VOICE = { data: new Uint8Array([1, 2, 3]), name: "note.mp3", mimeType: "audio/mpeg" };

const ATTEMPTS: Readonly<Record<string, (tried: Tried) => Promise<void>>> = {
	"health.check": async ({ gateway }) => void (await gateway.health.check()),
	"mappings.get": async ({ gateway }) => {
		const [contact] = CONTACTS;
		if (contact === undefined) return;
		const { mapping } = await gateway.mappings.get(contact.number);
		compare(mapping, mappingOf(contact), ["userNumber"]);
	},
	"mappings.list": async ({ gateway }) =>
		compareList(await collect(gateway.mappings.list()), CONTACTS.map(mappingOf), "userNumber"),
	"agents.list": async ({ gateway }) =>
		compareList(await collect(gateway.agents.list()), AGENTS.map(agentOf), "agentNumber"),
	"agents.get": async ({ gateway }) => {
		const { agent } = await gateway.agents.get(LINE);
		compare(agent, AGENTS.map(agentOf)[0], ["agentNumber"]);
	},
	"agents.block": async ({ gateway, account }) => {
		const before = account.changes.length;
		await gateway.agents.block(LINE);
		const what = account.changes[before];
		if (what !== `block ${LINE}`) throw new Wrong(`changed ${what}`);
	},
	"analytics.listContacts": async ({ gateway }) =>
		compareList(await collect(gateway.analytics.listContacts()), CONTACTS.map(contactOf), "userNumber"),
	"analytics.listMessages": async ({ gateway, account, shape }) => {
		const seen = await collect(gateway.analytics.listMessages(CONTACT));
		compareList(
			seen,
			account.with(CONTACT).map((message) => messageOf(message, shape)),
			"text",
		);
	},
	"analytics.getNumberStats": async ({ gateway }) => {
		const { number, outbound, inbound, contacts, rate } = STATS;
		const expected = {
			number,
			outbound,
			inbound,
			contacts,
			byStatus: { delivered: STATS.delivered, failed: STATS.failed },
			responseRate: rate,
		};
		compare(await gateway.analytics.getNumberStats(LINE), expected, ["outbound", "inbound"]);
	},
	"queue.getStatus": async ({ gateway }) => {
		const { pending, processing, failed, oldestMs } = QUEUE;
		compare(await gateway.queue.getStatus(), { pending, processing, failed, oldestPendingAgeMs: oldestMs }, [
			"pending",
			"processing",
			"failed",
		]);
	},
	"settings.getWebhooks": async ({ gateway }) =>
		compare(
			await gateway.settings.getWebhooks(),
			{ inboundWebhookUrl: WEBHOOKS.inbound, statusWebhookUrl: WEBHOOKS.status },
			["inboundWebhookUrl", "statusWebhookUrl"],
		),
	"settings.setWebhooks": async ({ gateway, account }) => {
		const before = account.changes.length;
		await gateway.settings.setWebhooks({ inboundWebhookUrl: "https://hooks.example/a?b=1&c=2" });
		if (account.changes[before] !== "webhooks inboundWebhookUrl")
			throw new Wrong("the webhooks are as they were");
	},
	"messages.checkCapability": async ({ gateway }) => {
		const found = await gateway.messages.checkCapability(CONTACT);
		compare(found, { number: CONTACT, native: true, service: "native" }, []);
		if (found.native !== true && found.service === undefined) throw new Wrong("it does not say so");
	},
	"messages.get": async ({ gateway, account, shape }) => {
		const [message] = account.with(CONTACT).filter(({ outbound }) => outbound);
		if (message === undefined) return;
		const { message: seen } = await gateway.messages.get(
			String(shape.idsAre === "serial" ? message.serial : message.id),
		);
		compare(seen, messageOf(message, shape), ["text", "to"]);
	},
	"messages.sendText": async (tried) => {
		const { gateway, account, shape } = tried;
		const text = `Über "<&>/ ${account.messages.length} 👋`;
		const { message } = await delivers(tried, { kind: "text", text }, () =>
			gateway.messages.sendText({ to: CONTACT, text }),
		);
		const kept = account.messages.at(-1);
		if (kept !== undefined) compare(message, messageOf(kept, shape), []);
	},
	"messages.sendAttachments": async (tried) =>
		void (await delivers(tried, { kind: "media", media: [PICTURE] }, () =>
			tried.gateway.messages.sendAttachments({ to: CONTACT, attachments: [{ url: PICTURE }] }),
		)),
	"messages.sendVoiceNote": async (tried) => {
		const attachment = tried.shape.voices === "bytes" ? VOICE : { url: PICTURE };
		const media = [tried.shape.voices === "bytes" ? "AQID" : PICTURE];
		await delivers(tried, { kind: "voice", media }, () =>
			tried.gateway.messages.sendVoiceNote({ to: CONTACT, attachment }),
		);
	},
	"messages.tapback": async (tried) => {
		const { gateway, account, shape } = tried;
		const message = account.with(CONTACT)[0];
		if (message === undefined) return;
		const messageGuid = shape.tapsBy === "id" ? message.id : message.guid;
		const expected = { kind: "tapback", message: messageGuid, reaction: "laugh", isOn: true };
		await delivers(tried, expected, () => gateway.messages.addTapback({ messageGuid, reaction: "laugh" }));
	},
	"messages.typing": async (tried) => {
		const target = chatOf(tried);
		await delivers(tried, { kind: "typing", isOn: true }, () => tried.gateway.messages.startTyping(target));
	},
	"messages.markRead": async (tried) => {
		const target = chatOf(tried);
		await delivers(tried, { kind: "read" }, () => tried.gateway.messages.markRead(target));
	},
};

function chatOf({ shape }: Tried): { to: string } | { groupId: string } {
	return shape.chats === "by_id" ? { groupId: `chat-${CONTACT.slice(-4)}` } : { to: CONTACT };
}

/** The call reaches the contact, and nobody else. */
async function delivers<Data>(
	{ account }: Tried,
	expected: object,
	call: () => PromiseLike<Data>,
): Promise<Data> {
	const before = account.deliveries.length;
	const data = await call();
	const got = account.deliveries.slice(before);
	if (got.length !== 1) throw new Wrong(`${got.length} deliveries`);
	compare(got[0], { to: CONTACT, ...expected }, ["to"]);
	return data;
}

const MOST = 12;

async function collect<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
	const items: Item[] = [];
	for await (const item of list) {
		if (items.push(item) > MOST) throw new Wrong("the list does not end");
	}
	return items;
}

function compareList(actual: readonly object[], expected: readonly object[], key: string): void {
	const keyOf = (item: object): string => String(Object(item)[key]);
	if (actual.length !== expected.length) throw new Wrong(`${actual.length} of ${expected.length} items`);
	for (const item of expected) {
		const found = actual.filter((each) => digits(keyOf(each)) === digits(keyOf(item)));
		const [first] = found;
		if (first === undefined) throw new Wrong(`${key} is none of them`);
		// Several may have the same text.
		if (!found.some((each) => problemOf(each, item, [key]) === undefined)) compare(first, item, [key]);
	}
}

function problemOf(actual: object, expected: object, needed: readonly string[]): unknown {
	try {
		compare(actual, expected, needed);
		return undefined;
	} catch (error) {
		return error;
	}
}

/** What is there must be as it is; what must be there is. */
function compare(actual: object | undefined, expected: object | undefined, needed: readonly string[]): void {
	for (const [name, value] of Object.entries(expected ?? {})) {
		const seen: unknown = Object(actual)[name];
		if (seen === undefined || seen === null) {
			if (needed.includes(name)) throw new Lacks(`${name} is missing`);
			continue;
		}
		if (!isSame(name, seen, value))
			throw new Wrong(
				`${name} is ${JSON.stringify(seen)} instead of ${JSON.stringify(value instanceof Set ? [...value] : value)}`,
			);
	}
}

const OUR_STATUSES = [
	"queued",
	"sent",
	"delivered",
	"read",
	"failed",
	"online",
	"offline",
	"blocked",
	"native",
	"sms",
];

function isSame(name: string, seen: unknown, expected: unknown): boolean {
	if (expected instanceof Set) return expected.has(seen);
	if (name === "status" || name === "service") {
		// Other words than ours pass through.
		const word = String(seen).toLowerCase();
		return word === expected || !OUR_STATUSES.includes(word);
	}
	if (name === "timestamp_ms") return Math.abs(Number(seen) - Number(expected)) <= 3_000;
	if (typeof expected === "string" && /^\+\d+$/.test(expected))
		return digits(String(seen)) === digits(expected);
	return JSON.stringify(seen) === JSON.stringify(expected);
}

function digits(text: string): string {
	return /^\+?\d{8,15}$/.test(text) ? text.replace("+", "") : text;
}

function agentOf({ number, name, status, contacts, seenAt, createdAt }: (typeof AGENTS)[number]) {
	return { agentNumber: number, name, status, mappingCount: contacts, lastSeenAt: seenAt, createdAt };
}

function mappingOf(contact: (typeof CONTACTS)[number]) {
	return {
		agentNumber: contact.agent,
		userNumber: contact.number,
		createdAt: contact.createdAt,
		outbound: contact.outbound,
		inbound: contact.inbound,
		consecutiveCount: contact.streak,
		maxConsecutiveMessages: contact.most,
		lastReceivedAt: contact.lastReceivedAt,
	};
}

function contactOf({ number, agent, outbound, inbound, lastAt }: (typeof CONTACTS)[number]) {
	return { userNumber: number, agentNumber: agent, outbound, inbound, lastMessageAt: lastAt };
}

function messageOf(message: StrangeMessage, { idsAre }: StrangeShape) {
	const ids = new Set([message.id, message.guid, String(message.serial), `wamid.${message.serial}`]);
	return {
		messageId: new Set(idsAre === "serial" ? [String(message.serial)] : [message.id]),
		status: message.status,
		text: message.text,
		from: message.from,
		to: message.to,
		outbound: message.outbound,
		chatGuid: message.chat,
		messageGuid: ids,
		timestamp_ms: message.at,
	};
}
