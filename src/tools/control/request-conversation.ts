import { describeHandleProblem } from "../../library/catalogue/handle.ts";
import { OPERATIONS } from "../../library/catalogue/index.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import { isJsonObject } from "../../library/is-object.ts";
import { readRecordedInput } from "../local-gateway/maps/recorded-input.ts";
import type { Conversation } from "../local-gateway/records.ts";
import type { HandledRequest } from "../local-gateway/traffic.ts";
import type { World } from "../local-gateway/world.ts";
import { parseJson } from "./parse-json.ts";

/** The conversation that a request is about; a rejected send may be about one that does not exist yet. */
export function findConversation(
	world: World,
	request: HandledRequest,
): Pick<Conversation, "key" | "contacts" | "groupId"> | undefined {
	const { body, query } = request;
	const given =
		readRecordedInput(request, world.settings) ??
		(body === "" ? Object.fromEntries(new URLSearchParams(query)) : parseJson(body));
	const fields = isJsonObject(given) ? given : {};
	const read = (name: string): string | undefined => {
		const value = fields[name];
		return typeof value === "string" ? value : undefined;
	};
	const { conversations, messages, settings } = world;
	const record = messages.find(read("messageId") ?? "") ?? messages.findByGuid(read("messageGuid") ?? "");
	if (record !== undefined) return record.conversation;
	const groupId = read("groupId");
	if (groupId !== undefined) return conversations.findByKey(groupId);
	const participants = fields["participants"];
	if (isStrings(participants)) return conversations.findGroupOf(participants);
	const handle = read("to") ?? read("userNumber") ?? read("toNumber") ?? readHandle(world, request);
	// What is no handle comes from whoever sent the request, and may have any length.
	if (handle === undefined || !isHandle(handle, settings.profile)) return undefined;
	return conversations.findContact(handle) ?? { key: handle, contacts: [handle], groupId: null };
}

/** The contact in a path: where the operation has it, or else a number or an e-mail address of no agent. */
function readHandle({ agents, settings }: World, { operationId, path }: HandledRequest): string | undefined {
	const operation = OPERATIONS.find(({ id }) => id === operationId);
	const template = (operation && settings.profile.operations?.[operation.id]?.path) ?? operation?.path ?? "";
	const segments = path.split("/").map(decode);
	const names = template.split("/");
	const at = names.indexOf("{toNumber}");
	if (at !== -1) return segments.at(at - names.length);
	return segments.find((segment) => /^\+|@/.test(segment) && isHandle(segment) && !agents.find(segment));
}

function isHandle(value: string, profile?: Profile): boolean {
	return describeHandleProblem(value, profile) === undefined;
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return "";
	}
}

function isStrings(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((item) => typeof item === "string");
}
