import { isJsonObject } from "../../library/is-object.ts";
import type { Conversation } from "../local-gateway/records.ts";
import type { HandledRequest } from "../local-gateway/traffic.ts";
import type { World } from "../local-gateway/world.ts";
import { parseJson } from "./parse-json.ts";

/** As the catalogue has it; what is no number comes from whoever sent the request, and may have any length. */
const NUMBER = /^\+\d{1,15}$/;

/** The conversation that a request is about; a rejected send may be about one that does not exist yet. */
export function findConversation(
	world: World,
	{ body, query, path }: HandledRequest,
): Pick<Conversation, "key" | "contacts" | "groupId"> | undefined {
	const given = body === "" ? Object.fromEntries(new URLSearchParams(query)) : parseJson(body);
	const fields = isJsonObject(given) ? given : {};
	const read = (name: string): string | undefined => {
		const value = fields[name];
		return typeof value === "string" ? value : undefined;
	};
	const { conversations, messages } = world;
	const record = messages.find(read("messageId") ?? "") ?? messages.findByGuid(read("messageGuid") ?? "");
	if (record !== undefined) return record.conversation;
	const groupId = read("groupId");
	if (groupId !== undefined) return conversations.findByKey(groupId);
	const participants = fields["participants"];
	if (isStrings(participants)) return conversations.findGroupOf(participants);
	const number = read("to") ?? read("userNumber") ?? readNumber(world, path);
	if (number === undefined || !NUMBER.test(number)) return undefined;
	return conversations.findContact(number) ?? { key: number, contacts: [number], groupId: null };
}

/** The number of a contact in a path. */
function readNumber({ agents }: World, path: string): string | undefined {
	const numbers = path.split("/").map((segment) => segment.replace(/^%2B/i, "+"));
	return numbers.find((number) => NUMBER.test(number) && agents.find(number) === undefined);
}

function isStrings(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((item) => typeof item === "string");
}
