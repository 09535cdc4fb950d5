import type { NumberStats } from "../../../library/catalogue/analytics.ts";
import type { TimeRange } from "../../../library/catalogue/input-fields.ts";
import { paginate } from "../pages.ts";
import type { MessageRecord } from "../records.ts";
import type { Handlers } from "../run-operation.ts";
import type { World } from "../world.ts";
import { contactsOf } from "./mappings.ts";

/** Unlike the handlers of sends, these search all kept messages. */
export function analyticsHandlers(world: World) {
	const { agents, conversations, messages } = world;
	return {
		"analytics.listMessages": ({ toNumber, agentNumber, after, before, ...page }) => {
			conversations.getContact(toNumber);
			const fitting = messages
				.all()
				.filter((record) => record.conversation.key === toNumber && isWithin(record, { after, before }))
				.filter((record) => agentNumber === undefined || agentOf(record) === agentNumber);
			const { items, nextCursor } = paginate(fitting, page, "newest_first");
			return { messages: items.map(({ message }) => ({ ...message })), nextCursor };
		},
		"analytics.listContacts": ({ agentNumber, ...page }) => {
			const { items, nextCursor } = paginate(contactsOf(world, agentNumber), page, "newest_first");
			const contacts = items.map(({ key, agentNumber, counters, lastMessageAt }) => {
				const { outbound, inbound } = counters;
				return { userNumber: key, agentNumber, outbound, inbound, lastMessageAt };
			});
			return { contacts, nextCursor };
		},
		"analytics.getNumberStats": ({ number, ...range }) => {
			const { mappingCount } = agents.get(number);
			const own = messages.all().filter((record) => agentOf(record) === number && isWithin(record, range));
			return { number, contacts: mappingCount, ...summarize(own) };
		},
	} satisfies Partial<Handlers>;
}

/** A time range whose members may be `undefined`, as after destructuring. */
type OpenTimeRange = { [Name in keyof TimeRange]: TimeRange[Name] | undefined };

function isWithin({ message }: MessageRecord, { after = 0, before = Infinity }: OpenTimeRange): boolean {
	return message.timestamp_ms >= after && message.timestamp_ms < before;
}

function agentOf({ message }: MessageRecord): string {
	return message.outbound ? message.from : message.to;
}

function summarize(records: readonly MessageRecord[]): Omit<NumberStats, "number" | "contacts"> {
	const byStatus: Record<string, number> = {};
	const writtenTo = new Set<string>();
	const replied = new Set<string>();
	let outbound = 0;
	for (const { message, conversation } of records) {
		if (!message.outbound) {
			if (writtenTo.has(conversation.key)) replied.add(conversation.key);
			continue;
		}
		outbound += 1;
		writtenTo.add(conversation.key);
		byStatus[message.status] = (byStatus[message.status] ?? 0) + 1;
	}
	const responseRate = writtenTo.size === 0 ? 0 : replied.size / writtenTo.size;
	return { outbound, inbound: records.length - outbound, byStatus, responseRate };
}
