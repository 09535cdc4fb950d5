import type { ConversationView, DeliveryView, MessageView, RequestView } from "../../../control/contract.ts";
import { behaviourOf } from "../../../local-gateway/magic-numbers.ts";
import { nameDay } from "./clock.ts";
import { titleOf } from "./conversations.ts";
import {
	describeDelivery,
	describeRequest,
	type EventLine,
	isRejected,
	SLOW_MS,
} from "./describe-entries.ts";
import type { Entry } from "./entries.ts";

interface EntryRow {
	readonly key: string;
	readonly sequence: number;
	/** The contact, where the timeline is that of all. */
	readonly contact: string | undefined;
}

/** A message and the context that its bubble shows. */
export interface MessageRow extends EntryRow {
	readonly kind: "message";
	readonly message: MessageView;
	/** Whether it is the first of consecutive messages of its sender. */
	readonly isFirst: boolean;
	/** The sender above it: for the first message, in groups. */
	readonly sender: string | undefined;
	readonly isSms: boolean;
	/** Whether it is the last message that the agent has read. */
	readonly isReadByAgent: boolean;
	readonly repliesTo: MessageView | undefined;
	/** What came of its status webhooks that need no row of their own; undefined without one. */
	readonly statuses: string | undefined;
	/** The `sequence` of each of them. A string, so that an unchanged row has the same. */
	readonly folded: string;
}

export interface WebhookRow extends EntryRow {
	readonly kind: "webhook";
	readonly delivery: DeliveryView;
	/** Whether the row above gives the same reason. */
	readonly isRepeated: boolean;
}

export interface RequestRow extends EntryRow {
	readonly kind: "request";
	readonly request: RequestView;
	/** Whether it would have sent a message, which is shown as a ghost. */
	readonly isGhost: boolean;
	readonly isRepeated: boolean;
}

export type TimelineRow =
	| MessageRow
	| WebhookRow
	| RequestRow
	| { readonly kind: "day"; readonly key: string; readonly label: string };

const SAME_GROUP_MS = 120_000;

export interface TimelineContext {
	readonly conversations: ReadonlyMap<string, ConversationView>;
	readonly isOfAll: boolean;
	/** Whether the newest entries are among these. */
	readonly isWhole: boolean;
	readonly now: number;
}

/** The rows of the timeline, with the names of the days between them. What made a message stands above it. */
export function timelineRows(entries: readonly Entry[], context: TimelineContext): TimelineRow[] {
	const { conversations, isOfAll, isWhole, now } = context;
	const rows: TimelineRow[] = [];
	const messages = entries.flatMap((entry) => (entry.kind === "message" ? [entry.message] : []));
	const byGuid = new Map(messages.map((message) => [message.messageGuid, message]));
	const lastRead = isOfAll ? undefined : findLastRead(messages, conversations, isWhole);
	const causes = findCauses(entries, messages);
	const accepted = new Set(causes.values());
	const statuses = findFolded(entries, messages);
	let previous: MessageView | undefined;
	let reason: string | undefined;
	let day = "";
	for (const entry of entries) {
		const { sequence, conversationKey = "" } = entry;
		const conversation = conversations.get(conversationKey);
		const title = conversation === undefined ? conversationKey : titleOf(conversation);
		const contact = isOfAll && title !== "" ? title : undefined;
		const placeAt = (sequence: number) => ({ key: String(sequence), sequence, contact });
		const isRepeated = (line: EventLine): boolean => {
			const isSame = line.reason !== undefined && line.reason === reason;
			reason = line.reason;
			return isSame;
		};
		const pushRequest = (request: RequestView, isGhost: boolean): void => {
			const place = { ...placeAt(request.sequence), isRepeated: isRepeated(describeRequest(request)) };
			rows.push({ kind: "request", ...place, request, isGhost });
		};
		if (entry.kind === "webhook" && statuses.get(entry.delivery.messageId)?.includes(entry.delivery))
			continue;
		if (entry.kind === "request" && accepted.has(entry.request)) continue;
		const at = timeOf(entry);
		const isNewDay = new Date(at).toDateString() !== day;
		day = new Date(at).toDateString();
		if (isNewDay) rows.push({ kind: "day", key: `day ${at}`, label: nameDay(at, now) });
		if (entry.kind === "webhook") {
			const { delivery } = entry;
			const place = { ...placeAt(sequence), isRepeated: isRepeated(describeDelivery(delivery)) };
			rows.push({ kind: "webhook", ...place, delivery });
		} else if (entry.kind === "request")
			pushRequest(entry.request, isSend(entry.request) && isRejected(entry.request));
		else {
			const { message } = entry;
			const { outbound, status } = message;
			const cause = causes.get(message);
			if (cause !== undefined) pushRequest(cause, false);
			reason = undefined;
			const folded = statuses.get(message.messageId) ?? [];
			const last = folded.at(-1);
			const isFirst = previous === undefined || isNewDay || !isSameGroup(previous, message);
			const isSenderNamed = isFirst && !outbound && !isOfAll && typeof conversation?.groupId === "string";
			const fallsBack = conversation !== undefined && fallsBackToSms(conversation);
			rows.push({
				kind: "message",
				...placeAt(sequence),
				message,
				isFirst,
				contact: isFirst ? contact : undefined,
				sender: isSenderNamed ? message.from : undefined,
				isSms: outbound && (status === "SMS_FALLBACK" || (fallsBack && status === "delivered")),
				isReadByAgent: message === lastRead,
				repliesTo: message.replyToGuid === undefined ? undefined : byGuid.get(message.replyToGuid),
				statuses:
					last &&
					`${folded.length} status${folded.length > 1 ? "es" : ""} · ${describeDelivery(last).outcome}`,
				folded: folded.map(({ sequence }) => sequence).join(),
			});
			previous = message;
		}
	}
	return rows;
}

export function isRowOf(row: TimelineRow, sequence: number | undefined): boolean {
	if (row.kind === "day" || sequence === undefined) return false;
	return (
		row.sequence === sequence || (row.kind === "message" && row.folded.split(",").includes(String(sequence)))
	);
}

function isSend({ operationId }: RequestView): boolean {
	return operationId?.startsWith("messages.send") === true;
}

/** The request that made each message: it is over later. Of those that may be, one that was accepted. */
function findCauses(
	entries: readonly Entry[],
	messages: readonly MessageView[],
): ReadonlyMap<MessageView, RequestView> {
	const causes = new Map<MessageView, RequestView>();
	const sends = entries.flatMap((entry) =>
		entry.kind === "request" && isSend(entry.request) ? [entry] : [],
	);
	const isFailed = ({ request }: (typeof sends)[number]): boolean => isRejected(request);
	for (const send of [...sends.filter((send) => !isFailed(send)), ...sends.filter(isFailed)]) {
		const { request, conversationKey, sequence } = send;
		const made = messages.find(
			(message) =>
				message.outbound &&
				message.conversationKey === conversationKey &&
				message.sequence < sequence &&
				message.timestamp_ms >= request.at &&
				!causes.has(message),
		);
		if (made !== undefined) causes.set(made, request);
	}
	return causes;
}

/** The status webhooks that the bubble of their message stands for: while nothing is wrong with them, and none was slow. */
function findFolded(entries: readonly Entry[], messages: readonly MessageView[]) {
	const known = new Set(messages.map(({ messageId }) => messageId));
	const folded = entries.flatMap((entry) => {
		if (entry.kind !== "webhook") return [];
		const { delivery } = entry;
		const { tone, durationMs = 0 } = describeDelivery(delivery);
		const isQuiet = delivery.kind === "status" && tone === "muted" && durationMs < SLOW_MS;
		return isQuiet && known.has(delivery.messageId) ? [delivery] : [];
	});
	return Map.groupBy(folded, ({ messageId }) => messageId);
}

/** When an entry came, in the gateway's time. */
export function timeOf(entry: Entry): number {
	if (entry.kind === "message") return entry.message.timestamp_ms;
	return entry.kind === "webhook" ? entry.delivery.createdAt : entry.request.at;
}

/** The last message of the contact that the agent has read; none if that may be a later one. */
function findLastRead(
	messages: readonly MessageView[],
	conversations: TimelineContext["conversations"],
	isWhole: boolean,
): MessageView | undefined {
	const readUpTo = conversations.get(messages[0]?.conversationKey ?? "")?.readUpTo?.sequence ?? 0;
	if (!isWhole && readUpTo > (messages.at(-1)?.sequence ?? 0)) return undefined;
	return messages.findLast(({ outbound, sequence }) => !outbound && sequence <= readUpTo);
}

/** Whether the contact's behaviour makes messages fall back to SMS: the status `delivered` no longer shows it. */
function fallsBackToSms(conversation: Pick<ConversationView, "groupId" | "contacts">): boolean {
	return behaviourOf(conversation).steps.some(([step]) => step === "SMS_FALLBACK");
}

function isSameGroup(left: MessageView, right: MessageView): boolean {
	return (
		left.conversationKey === right.conversationKey &&
		left.outbound === right.outbound &&
		left.from === right.from &&
		right.timestamp_ms - left.timestamp_ms < SAME_GROUP_MS
	);
}
