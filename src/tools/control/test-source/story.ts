import type { Happening, SentContent, StruckBy } from "../../local-gateway/history.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";

type HappeningOf<Type extends Happening["type"]> = Extract<Happening, { type: Type }>;

/** An accepted message; a fault may have lost the response to its sender. */
interface SentEvent {
	readonly type: "sent";
	readonly record: MessageRecord;
	readonly lostBy: StruckBy | undefined;
}

/** A send that a rule rejected. */
interface RejectedEvent {
	readonly type: "rejected";
	readonly code: string;
	readonly content: SentContent;
	readonly lostBy: StruckBy | undefined;
}

/** A send that a fault kept from being processed. */
interface UnreachedEvent {
	readonly type: "unreached";
	readonly fault: StruckBy;
	readonly content: SentContent;
}

/** A message of a contact. */
interface WroteEvent {
	readonly type: "wrote";
	readonly record: MessageRecord;
}

/** A step of a test that reproduces a conversation. */
export type StoryEvent = { readonly sequence: number; readonly at: number } & (
	| SentEvent
	| RejectedEvent
	| UnreachedEvent
	| WroteEvent
	| Omit<HappeningOf<"read">, "conversationKey">
	| HappeningOf<"reaction">
	| HappeningOf<"tapback">
	| HappeningOf<"mapping_reset">
	| HappeningOf<"mapping_limit">
	| HappeningOf<"mapping_deleted">
);

/** The events of a conversation in order, with the messages of others that blocked its sends. */
export function collectStory(world: World, conversation: Conversation): StoryEvent[] {
	const { key } = conversation;
	const happenings = world.history.all().filter(({ conversationKey }) => conversationKey === key);
	const blockers = new Set(happenings.map((happening) => blockerOf(happening)));
	const records = world.messages
		.all()
		.filter(({ conversation, message }) => conversation.key === key || blockers.has(message.messageId));
	const known = new Set(records.map(({ message }) => message.messageId));
	const things = [...records, ...happenings.filter((happening) => isAbout(happening, known))];
	things.sort((left, right) => left.sequence - right.sequence);
	return withoutEarlyMappings(withoutEarlyReplies(toEvents(things), conversation), conversation);
}

function blockerOf(happening: Happening): string | undefined {
	return happening.type === "rejected" ? happening.blockedBy : undefined;
}

/** An event of a dropped message is left out. */
function isAbout(happening: Happening, known: ReadonlySet<string>): boolean {
	return !("messageId" in happening) || known.has(happening.messageId);
}

/** A fault that loses a response is recorded just before its send, so it belongs to the next one. */
function toEvents(things: readonly (MessageRecord | Happening)[]): StoryEvent[] {
	const events: StoryEvent[] = [];
	let lost: { readonly fault: StruckBy; readonly signature: string } | undefined;
	const takeFault = (signature: string | undefined): StruckBy | undefined => {
		const fault = lost?.signature === signature ? lost?.fault : undefined;
		lost = undefined;
		return fault;
	};
	for (const thing of things) {
		if ("message" in thing) {
			const { sequence, signature, message } = thing;
			const event = { sequence, at: message.timestamp_ms, record: thing };
			if (message.outbound) events.push({ ...event, type: "sent", lostBy: takeFault(signature) });
			else events.push({ ...event, type: "wrote" });
		} else if (thing.type === "rejected") {
			events.push({ ...thing, lostBy: takeFault(thing.content.signature) });
		} else if (thing.type !== "struck") events.push(thing);
		else if (isCarriedOut(thing.fault)) lost = { fault: thing.fault, signature: thing.content.signature };
		else events.push({ ...thing, type: "unreached" });
	}
	return events;
}

function isCarriedOut(fault: StruckBy): boolean {
	return fault.kind === "corrupt" || (fault.kind === "drop" && fault.when === "after");
}

/** Leaves out replies in a group before its first known send: in a test, that send creates the group. */
function withoutEarlyReplies(
	events: readonly StoryEvent[],
	{ groupId }: Conversation,
): readonly StoryEvent[] {
	if (groupId === null) return events;
	const start = events.findIndex(
		(event) => event.type === "sent" && event.record.conversation.groupId === groupId,
	);
	const early = events.slice(0, start).filter(({ type }) => type === "wrote");
	const lost = new Set(early.map((event) => (event.type === "wrote" ? event.record.message.messageId : "")));
	return events.filter(
		(event) => !early.includes(event) && !("messageId" in event && lost.has(event.messageId)),
	);
}

/** Leaves out changes of a mapping before the message that creates it. */
function withoutEarlyMappings(events: readonly StoryEvent[], { key }: Conversation): StoryEvent[] {
	let isMapped = false;
	return events.filter((event) => {
		if ("record" in event && event.record.conversation.key === key) isMapped = true;
		const isKept = isMapped || !event.type.startsWith("mapping_");
		if (event.type === "mapping_deleted") isMapped = false;
		return isKept;
	});
}
