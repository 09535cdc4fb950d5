import { REACTION, REPLY_TEXT } from "../../local-gateway/journey.ts";
import type { Conversation, MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";
import { countAutomatic, finalStatus } from "./expected.ts";
import { literal } from "./literals.ts";
import type { StoryEvent } from "./story.ts";

/** Writes the expectations of a test: sent messages with their statuses, inbound messages and reactions. */
export function writeExpectations(
	world: World,
	{ key }: Conversation,
	events: readonly StoryEvent[],
): string[] {
	const sent = events.flatMap((event) => (event.type === "sent" ? [event.record] : []));
	const own = sent.filter(({ conversation }) => conversation.key === key);
	const replies = countAutomatic(world, own, "reply");
	const reactions = countAutomatic(world, own, "react");
	return [
		"await local.settled();",
		...expectList(
			"local.sent",
			sent.map((record) => describeSent(world, record)),
		),
		...expectEvents("inbound_message", "text", textsOf(events), Array(replies).fill(REPLY_TEXT)),
		...expectEvents("inbound_reaction", "reaction", reactionsOf(events), Array(reactions).fill(REACTION)),
	];
}

function describeSent(world: World, record: MessageRecord): string {
	const { to, text, attachments } = record.message;
	const names = attachments.map(({ name, url }) => (name === undefined ? { url } : { name }));
	const status = finalStatus(world, record);
	return literal({ to, text, attachments: names.length === 0 ? undefined : names, status });
}

function textsOf(events: readonly StoryEvent[]): string[] {
	return events.flatMap((event) =>
		event.type === "wrote" && !event.record.isAutomatic ? [event.record.message.text] : [],
	);
}

function reactionsOf(events: readonly StoryEvent[]): string[] {
	return events.flatMap((event) => (event.type === "reaction" ? [event.reaction] : []));
}

/** A magic number may reply a moment earlier or later than it did, so the order of its events is left open. */
function expectEvents(
	kind: string,
	field: string,
	made: readonly string[],
	automatic: readonly string[],
): string[] {
	if (made.length + automatic.length === 0) return [];
	const source = `eventsOf("${kind}").map(({ ${field} }) => ${field})`;
	if (automatic.length === 0) return expectList(source, made.map(literal), "toEqual");
	return expectList(`${source}.sort()`, [...made, ...automatic].sort().map(literal), "toEqual");
}

function expectList(source: string, items: readonly string[], matcher = "toMatchObject"): string[] {
	if (items.length === 0) return [`expect(${source}).toEqual([]);`];
	return [`expect(${source}).${matcher}([`, ...items.map((item) => `\t${item},`), "]);"];
}
