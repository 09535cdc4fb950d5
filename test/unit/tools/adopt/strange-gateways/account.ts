/**
 * What a gateway that nobody here has seen holds: agents, contacts, messages. Every value occurs once, so that a field
 * that was taken for another one shows. It shares no code with the package.
 */
import { randomUUID } from "node:crypto";

export interface StrangeAgent {
	readonly id: number;
	readonly number: string;
	readonly name: string;
	readonly status: "online" | "offline" | "blocked";
	readonly contacts: number;
	readonly seenAt: number;
	readonly createdAt: number;
}

export interface StrangeContact {
	readonly number: string;
	readonly agent: string;
	readonly outbound: number;
	readonly inbound: number;
	readonly createdAt: number;
	readonly lastAt: number;
	readonly lastReceivedAt: number;
	readonly streak: number;
	readonly most: number;
}

export interface StrangeMessage {
	readonly id: string;
	readonly serial: number;
	readonly guid: string;
	readonly chat: string;
	readonly text: string;
	readonly from: string;
	readonly to: string;
	readonly outbound: boolean;
	readonly status: "queued" | "sent" | "delivered" | "read" | "failed";
	readonly at: number;
	readonly media: readonly string[];
}

/** Something that reached a contact. */
export interface Delivery {
	readonly kind: "text" | "media" | "voice" | "tapback" | "typing" | "read";
	/** Who got it, as the gateway understands the request. */
	readonly to: string;
	readonly text?: string;
	readonly media?: readonly string[];
	readonly message?: string;
	/** The reaction in our words, and whether it, or the indicator, was added. */
	readonly reaction?: string;
	readonly isOn?: boolean;
}

/** The phone that gets the messages. */
export const CONTACT = "+15551239876";
/** Who sends unless the request names another. */
export const LINE = "+15550007701";
export const WEBHOOKS = { inbound: "https://hooks.example/in-731", status: "https://hooks.example/st-732" };
export const QUEUE = { pending: 17, processing: 5, failed: 3, oldestMs: 42_000 };

const START = Date.UTC(2026, 0, 5, 8, 0, 0);
const hours = (amount: number): number => START + amount * 3_600_000;

export const AGENTS: readonly StrangeAgent[] = [
	{
		id: 811,
		number: LINE,
		name: "Desk one",
		status: "online",
		contacts: 41,
		seenAt: hours(91),
		createdAt: hours(1),
	},
	{
		id: 812,
		number: "+15550007702",
		name: "Desk two",
		status: "offline",
		contacts: 42,
		seenAt: hours(92),
		createdAt: hours(2),
	},
	{
		id: 813,
		number: "+15550007703",
		name: "Desk three",
		status: "blocked",
		contacts: 43,
		seenAt: hours(93),
		createdAt: hours(3),
	},
];

export const CONTACTS: readonly StrangeContact[] = [
	{
		number: CONTACT,
		agent: LINE,
		outbound: 61,
		inbound: 71,
		createdAt: hours(4),
		lastAt: hours(64),
		lastReceivedAt: hours(74),
		streak: 2,
		most: 9,
	},
	{
		number: "+15551230002",
		agent: "+15550007702",
		outbound: 62,
		inbound: 72,
		createdAt: hours(5),
		lastAt: hours(65),
		lastReceivedAt: hours(75),
		streak: 1,
		most: 8,
	},
	{
		number: "+15551230003",
		agent: LINE,
		outbound: 63,
		inbound: 73,
		createdAt: hours(6),
		lastAt: hours(66),
		lastReceivedAt: hours(76),
		streak: 4,
		most: 7,
	},
];

export const STATS = {
	number: LINE,
	outbound: 124,
	inbound: 144,
	contacts: 2,
	delivered: 100,
	failed: 24,
	rate: 0.75,
};

export class StrangeAccount {
	readonly deliveries: Delivery[] = [];
	/** What changed beside messages. */
	readonly changes: string[] = [];
	readonly messages: StrangeMessage[] = [];

	constructor() {
		for (const index of [0, 1, 2, 3]) {
			const outbound = index % 2 === 0;
			const ends = outbound ? { from: LINE, to: CONTACT } : { from: CONTACT, to: LINE };
			const status = outbound ? (["delivered", "sent", "read"] as const)[index] : "read";
			this.#keep({
				...ends,
				outbound,
				text: `Message ${index}`,
				status: status ?? "sent",
				at: hours(20 + index),
				media: [],
			});
		}
	}

	/** Sends a text or media, and keeps it. */
	send(
		kind: "text" | "media" | "voice",
		to: string,
		text: string,
		media: readonly string[] = [],
		from = LINE,
	): StrangeMessage {
		this.deliveries.push({ kind, to, text, media });
		const at = Math.floor(Date.now() / 1000) * 1000;
		return this.#keep({ from, to, outbound: true, text, status: "queued", at, media });
	}

	act(delivery: Delivery): void {
		this.deliveries.push(delivery);
	}

	change(what: string): void {
		this.changes.push(what);
	}

	find(by: "id" | "guid" | "serial", value: unknown): StrangeMessage | undefined {
		return this.messages.find((message) => String(message[by]) === String(value));
	}

	/** The messages with a contact, the newest first. */
	with(number: string): StrangeMessage[] {
		return this.messages.filter(({ from, to }) => from === number || to === number).reverse();
	}

	/** A reaction to a message goes to whom the chat is with. */
	otherEnd({ outbound, from, to }: StrangeMessage): string {
		return outbound ? to : from;
	}

	#keep(message: Omit<StrangeMessage, "id" | "serial" | "guid" | "chat">): StrangeMessage {
		const serial = 5001 + this.messages.length;
		const chat = `chat-${(message.outbound ? message.to : message.from).slice(-4)}`;
		const kept = { ...message, id: randomUUID(), serial, guid: `guid-${randomUUID()}`, chat };
		this.messages.push(kept);
		return kept;
	}
}
