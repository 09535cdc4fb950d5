import type { Conversation } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";
import { ControlRejection } from "../control-rejection.ts";
import { literal } from "./literals.ts";
import { rehearse } from "./rehearse.ts";
import { collectStory, type StoryEvent } from "./story.ts";
import { writeExpectations } from "./write-expectations.ts";
import { writeSetUp } from "./write-set-up.ts";
import { StepsWriter } from "./write-steps.ts";

/**
 * Writes a conversation as a vitest test that passes: its sends, replies, reactions and rejections, at their times.
 * The test needs only `messaging-gateway` and `vitest`.
 *
 * @throws ControlRejection when the conversation is unknown or empty.
 */
export function writeTestSource(world: World, key: string): string {
	const conversation = findConversation(world, key);
	const { events, rules } = rehearse(world, collectStory(world, conversation), conversation);
	const agents = agentsOf(events);
	const steps = new StepsWriter(world, conversation, agents.length > 1);
	for (const event of events) steps.write(event);
	if (steps.lines.length === 0) {
		throw new ControlRejection(
			"rejected",
			"Nothing was written in this conversation yet: send something first.",
		);
	}
	const body = [...withoutUnusedNames(steps.lines), "", ...writeExpectations(world, conversation, events)];
	const isAlone = events.every((event) => event.type !== "sent" || event.record.conversation.key === key);
	const { groupId, contacts } = conversation;
	const title = groupId === null ? `the conversation with ${key}` : `the group of ${contacts.join(", ")}`;
	return [
		"// A conversation of the local gateway, written down by its console.",
		'import { MessagingGateway } from "messaging-gateway";',
		'import { createAdjustableClock, createLocalGateway } from "messaging-gateway/testing";',
		'import { expect, test } from "vitest";',
		"",
		`test(${literal(title)}, async () => {`,
		...indent([
			...writeSetUp({ agents, rules, delays: world.settings.delays }),
			...writeHelpers(conversation, body, isAlone),
			"",
			...body,
		]),
		"});",
		"",
	].join("\n");
}

function findConversation({ conversations }: World, key: string): Conversation {
	const found = conversations.find({ key, groupId: null }) ?? conversations.find({ key, groupId: key });
	if (found !== undefined) return found;
	throw new ControlRejection(
		"not_found",
		"No conversation has this key: name a contact's number, or a group's id.",
	);
}

/** The agents of a story; if there are none, the default agent is enough. */
function agentsOf(events: readonly StoryEvent[]): string[] {
	const numbers = events.flatMap((event) => {
		if (event.type === "sent") return [event.record.message.from];
		if (event.type === "wrote") return [event.record.message.to];
		return "content" in event ? [event.content.agentNumber] : [];
	});
	return [...new Set(numbers)].filter((number) => number !== undefined);
}

/** Removes the names of replies that are not used again. */
function withoutUnusedNames(lines: readonly string[]): string[] {
	return lines.map((line) => {
		const [declaration, name] = /^const (reply\d+) = /.exec(line) ?? [];
		if (declaration === undefined || lines.some((other) => other.includes(`${name}.`))) return line;
		return line.slice(declaration.length);
	});
}

function writeHelpers(
	{ groupId, key, chatGuid }: Conversation,
	body: readonly string[],
	isAlone: boolean,
): string[] {
	const uses = (name: string): boolean => body.some((line) => line.includes(name));
	const own = groupId === null ? `event.chatGuid === ${literal(chatGuid)}` : "event.groupId === groupId";
	return [
		...(uses(" contact.") ? [`const contact = local.contact(${literal(key)});`] : []),
		...(uses("eventsOf(") ? writeEventsOf(isAlone ? "" : `.filter((event) => ${own})`) : []),
	];
}

function writeEventsOf(filter: string): string[] {
	return [
		"const eventsOf = (kind: string) => {",
		"\tconst deliveries = local.deliveries.filter((delivery) => delivery.kind === kind);",
		`\treturn deliveries.map(({ body }) => JSON.parse(body))${filter};`,
		"};",
	];
}

function indent(lines: readonly string[]): string[] {
	return lines.map((line) => (line === "" ? line : `\t${line}`));
}
