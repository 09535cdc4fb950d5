import type { ConversationView, DeliveryView, MessageView, RequestView } from "../../../control/contract.ts";
import { behaviourOf } from "../../../local-gateway/magic-numbers.ts";
import { nameDay } from "./clock.ts";
import { titleOf } from "./conversations.ts";
import { describeDelivery, isRejected, SLOW_MS } from "./describe-entries.ts";
import type { Entry } from "./entries.ts";

interface EntryRow {
	readonly key: string;
	/** The entries of the row: several for folded webhooks. */
	readonly firstSequence: number;
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
}

export interface WebhookRow extends EntryRow {
	readonly kind: "webhook";
	/** The newest of those that are folded. */
	readonly delivery: DeliveryView;
	/** The kinds of all. */
	readonly name: string;
}

export interface RequestRow extends EntryRow {
	readonly kind: "request";
	readonly request: RequestView;
	/** Whether it would have sent a message, which is shown as a ghost. */
	readonly isGhost: boolean;
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

/** The rows of the timeline, with the names of the days between them. Webhooks of one message are folded. */
export function timelineRows(entries: readonly Entry[], context: TimelineContext): TimelineRow[] {
	const { conversations, isOfAll, isWhole, now } = context;
	const rows: TimelineRow[] = [];
	const messages = entries.flatMap((entry) => (entry.kind === "message" ? [entry.message] : []));
	const byGuid = new Map(messages.map((message) => [message.messageGuid, message]));
	const lastRead = isOfAll ? undefined : findLastRead(messages, conversations, isWhole);
	let previous: MessageView | undefined;
	let day = "";
	for (const entry of entries) {
		const { sequence, conversationKey = "" } = entry;
		const conversation = conversations.get(conversationKey);
		const at = timeOf(entry);
		const isNewDay = new Date(at).toDateString() !== day;
		day = new Date(at).toDateString();
		if (isNewDay) rows.push({ kind: "day", key: `day ${at}`, label: nameDay(at, now) });
		const title = conversation === undefined ? conversationKey : titleOf(conversation);
		const contact = isOfAll && title !== "" ? title : undefined;
		const place = { key: String(sequence), firstSequence: sequence, sequence, contact };
		if (entry.kind === "webhook") {
			const { delivery } = entry;
			const last = rows.at(-1);
			if (last?.kind === "webhook" && areFolded(last.delivery, delivery)) {
				const name = `${last.name} · ${describeDelivery(delivery).name.replace(/^status /, "")}`;
				rows[rows.length - 1] = { ...last, sequence, delivery, name };
			} else rows.push({ kind: "webhook", ...place, delivery, name: describeDelivery(delivery).name });
		} else if (entry.kind === "request") {
			const { request } = entry;
			const isAccepted =
				previous?.outbound === true &&
				previous.conversationKey === conversationKey &&
				previous.timestamp_ms >= request.at;
			const isSend = request.operationId?.startsWith("messages.send") === true;
			rows.push({
				kind: "request",
				...place,
				request,
				isGhost: isSend && isRejected(request) && !isAccepted,
			});
		} else {
			const { message } = entry;
			const { outbound, status } = message;
			const isFirst = previous === undefined || isNewDay || !isSameGroup(previous, message);
			const isSenderNamed = isFirst && !outbound && !isOfAll && typeof conversation?.groupId === "string";
			const fallsBack = conversation !== undefined && fallsBackToSms(conversation);
			rows.push({
				kind: "message",
				...place,
				message,
				isFirst,
				contact: isFirst ? contact : undefined,
				sender: isSenderNamed ? message.from : undefined,
				isSms: outbound && (status === "SMS_FALLBACK" || (fallsBack && status === "delivered")),
				isReadByAgent: message === lastRead,
				repliesTo: message.replyToGuid === undefined ? undefined : byGuid.get(message.replyToGuid),
			});
			previous = message;
		}
	}
	return rows;
}

export function isRowOf(row: TimelineRow, sequence: number | undefined): boolean {
	if (row.kind === "day" || sequence === undefined) return false;
	return row.firstSequence <= sequence && sequence <= row.sequence;
}

/** When an entry came, in the gateway's time. */
export function timeOf(entry: Entry): number {
	if (entry.kind === "message") return entry.message.timestamp_ms;
	return entry.kind === "webhook" ? entry.delivery.createdAt : entry.request.at;
}

/** Statuses of one message are folded while nothing is wrong with them, and none was slow. */
function areFolded(before: DeliveryView, after: DeliveryView): boolean {
	return (
		before.messageId === after.messageId &&
		[before, after].every((delivery) => {
			const { tone, durationMs = 0 } = describeDelivery(delivery);
			return delivery.kind === "status" && tone === "muted" && durationMs < SLOW_MS;
		})
	);
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
