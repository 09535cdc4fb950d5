import type { TargetFields } from "../../library/catalogue/input-fields.ts";
import { randomUuid } from "../../library/runtime.ts";
import type { Chat } from "./conversations.ts";
import { invalidField } from "./request-rejection.ts";
import type { World } from "./world.ts";

/**
 * Finds the chat of a send, or describes a new one.
 * @throws RequestRejection when the group is unknown, or there are too few participants.
 */
export function resolveChat({ conversations }: World, target: TargetFields): Chat {
	const { to, groupId, participants = [] } = target;
	if (to !== undefined) return { key: to, groupId: null, contacts: [to] };
	if (groupId !== undefined) return conversations.getGroup(groupId);
	const contacts = [...new Set(participants)];
	if (contacts.length < 2) throw invalidField("participants", "must be two different contacts or more");
	const id = `group-${randomUuid()}`;
	return conversations.findGroupOf(contacts) ?? { key: id, groupId: id, contacts };
}
