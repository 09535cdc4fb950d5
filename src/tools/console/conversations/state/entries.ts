import type { ControlClient } from "../../../control/client/control-client.ts";
import type {
	Change,
	DeliveryView,
	MessageView,
	Page,
	PageQuery,
	RequestView,
} from "../../../control/contract.ts";
import type { Sequenced } from "./list-history.ts";

/** A message, a webhook or a request, in the order of all events. */
export type Entry = Sequenced & { readonly conversationKey: string | undefined } & (
		| { readonly kind: "message"; readonly message: MessageView }
		| { readonly kind: "webhook"; readonly delivery: DeliveryView }
		| { readonly kind: "request"; readonly request: RequestView }
	);

const ofMessage = (message: MessageView): Entry => ({ kind: "message", ...placeOf(message), message });
const ofDelivery = (delivery: DeliveryView): Entry => ({ kind: "webhook", ...placeOf(delivery), delivery });
const ofRequest = (request: RequestView): Entry => ({ kind: "request", ...placeOf(request), request });

function placeOf({ sequence, conversationKey }: Sequenced & { readonly conversationKey?: string }) {
	return { sequence, conversationKey };
}

/** The message that an entry is about; a request names none. */
export function messageIdOf(entry: Entry): string | undefined {
	if (entry.kind === "request") return undefined;
	return (entry.kind === "message" ? entry.message : entry.delivery).messageId;
}

/** The newest first, but a message before its webhooks. */
export function newestFirst(entries: readonly Entry[]): readonly Entry[] {
	const groups = Map.groupBy(entries.toReversed(), (entry) => messageIdOf(entry) ?? entry.sequence);
	return [...groups.values()].flatMap((group) => group.toReversed());
}

export function toEntry(change: Change): Entry | undefined {
	if (change.type === "message") return ofMessage(change.message);
	if (change.type === "delivery") return ofDelivery(change.delivery);
	return change.type === "request" ? ofRequest(change.request) : undefined;
}

/** Whether it failed, also if a later attempt did not: what the gateway selects with `failed`. */
export function hasFailed(entry: Entry): boolean {
	if (entry.kind === "message") return entry.message.status === "failed";
	if (entry.kind === "request") return entry.request.diagnosis !== undefined;
	return entry.delivery.attempts.some(({ diagnosis }) => diagnosis !== undefined);
}

/** Loads a page of the three lists as one, as if the gateway had one of all entries. */
export async function loadEntries(
	client: Pick<ControlClient, "page">,
	{ isOnlyMessages = false, ...query }: PageQuery & { readonly limit: number; isOnlyMessages?: boolean },
	signal?: AbortSignal,
): Promise<Page<Entry>> {
	const none = { items: [], older: 0, newer: 0 };
	const [messages, deliveries, requests] = await Promise.all([
		client.page("messages", query, signal),
		isOnlyMessages ? none : client.page("deliveries", query, signal),
		isOnlyMessages ? none : client.page("requests", query, signal),
	]);
	const all = [
		...messages.items.map(ofMessage),
		...deliveries.items.map(ofDelivery),
		...requests.items.map(ofRequest),
	].sort((left, right) => left.sequence - right.sequence);
	const isForward = query.after !== undefined;
	// Of each list there are as many as of all together, so the nearest are among them.
	const items = isForward ? all.slice(0, query.limit) : all.slice(-query.limit);
	const others = all.length - items.length;
	const older = messages.older + deliveries.older + requests.older;
	const newer = messages.newer + deliveries.newer + requests.newer;
	return {
		items,
		older: isForward ? older : older + others,
		newer: isForward ? newer + others : newer,
	};
}
