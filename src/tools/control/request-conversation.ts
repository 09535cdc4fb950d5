import { isJsonObject } from "../../library/is-object.ts";
import type { Conversation } from "../local-gateway/records.ts";
import type { HandledRequest } from "../local-gateway/traffic.ts";
import type { World } from "../local-gateway/world.ts";

/** The conversation that a request is about; a rejected send may be about one that does not exist yet. */
export function findConversation(
	world: World,
	{ body, query, path }: HandledRequest,
): Pick<Conversation, "key" | "contacts" | "groupId"> | undefined {
	const fields = body === "" ? Object.fromEntries(new URLSearchParams(query)) : readFields(body);
	const read = (name: string): string | undefined => {
		const value = fields[name];
		return typeof value === "string" ? value : undefined;
	};
	const { conversations, messages } = world;
	const record = messages.find(read("messageId") ?? "") ?? messages.findByGuid(read("messageGuid") ?? "");
	if (record !== undefined) return record.conversation;
	const groupId = read("groupId");
	if (groupId !== undefined) return conversations.findByKey(groupId);
	const number = read("to") ?? read("userNumber") ?? readNumber(world, path);
	if (number === undefined) return undefined;
	return conversations.findContact(number) ?? { key: number, contacts: [number], groupId: null };
}

function readFields(body: string): Readonly<Record<string, unknown>> {
	try {
		const parsed: unknown = JSON.parse(body);
		return isJsonObject(parsed) ? parsed : {};
	} catch {
		return {};
	}
}

/** The number of a contact in a path. */
function readNumber({ agents }: World, path: string): string | undefined {
	const numbers = path.split("/").map((segment) => segment.replace(/^%2B/i, "+"));
	return numbers.find((number) => /^\+\d+$/.test(number) && agents.find(number) === undefined);
}
