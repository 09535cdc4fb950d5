import type { ConnectedGateway } from "../../control/client/connect.ts";
import type {
	DeliveryView,
	MessageView,
	Page,
	PageQuery,
	RequestDetails,
	RequestView,
} from "../../control/contract.ts";
import type { Remedy } from "../../control/diagnosis/remedy.ts";
import { CommandFailure, usageError } from "../failure.ts";
import { indented } from "../printable.ts";
import { type Terminal, toText } from "../terminal.ts";
import { deliveryLine, messageLine, requestLine } from "./lines.ts";

/** The kinds of things that the local gateway lists. */
export const KINDS = ["message", "request", "delivery"] as const;

export type Kind = (typeof KINDS)[number];

/** What the application and the gateway did, apart from the messages that come of it. */
export const ACTIVITY: readonly Kind[] = ["request", "delivery"];

type Typed<Type extends Kind, View> = { readonly type: Type } & View;

/** An item of a list. */
export type ListedItem =
	| Typed<"message", MessageView>
	| Typed<"request", RequestView | RequestDetails>
	| Typed<"delivery", DeliveryView>;

/** Lists the items of a kind that a query selects. */
export async function listItems(
	local: ConnectedGateway,
	type: Kind,
	query: PageQuery,
): Promise<Page<ListedItem>> {
	if (type === "message") return withType(type, await local.messages(query));
	if (type === "request") return withType(type, await local.requests(query));
	return withType(type, await local.deliveries(query));
}

function withType<Type extends Kind, View>(type: Type, page: Page<View>): Page<Typed<Type, View>> {
	return { ...page, items: page.items.map((item) => ({ type, ...item })) };
}

/** Lists the items of several kinds together: the newest of all. */
export async function listActivity(
	local: ConnectedGateway,
	kinds: readonly Kind[],
	query: PageQuery & { readonly limit: number },
): Promise<Pick<Page<ListedItem>, "items" | "older">> {
	const pages = await Promise.all(kinds.map((kind) => listItems(local, kind, query)));
	const all = pages.flatMap(({ items }) => items).sort((left, right) => left.sequence - right.sequence);
	const older = pages.reduce((sum, page) => sum + page.older, Math.max(0, all.length - query.limit));
	return { items: all.slice(-query.limit), older };
}

/**
 * Finds an item by its id, or by the beginning of it.
 * @throws CommandFailure unless there is exactly one.
 */
export async function findItem(local: ConnectedGateway, id: string): Promise<ListedItem> {
	const pages = await Promise.all(KINDS.map((kind) => listItems(local, kind, { search: id })));
	const found = pages.flatMap(({ items }) =>
		items.filter((item) => idsOf(item).some((one) => one.startsWith(id))),
	);
	const [item] = found;
	if (item === undefined)
		throw new CommandFailure(
			"no message, request or webhook has this id",
			"`npx messaging-gateway log` lists the newest.",
		);
	if (found.length > 1 && !found.some((one) => idsOf(one).includes(id)))
		throw usageError(`${found.length} ids begin like this one`, "Give more of it.");
	const exact = found.find((one) => idsOf(one).includes(id)) ?? item;
	return exact.type === "request" ? { ...exact, ...(await local.request(exact.requestId)) } : exact;
}

function idsOf(item: ListedItem): string[] {
	if (item.type === "request") return [item.requestId];
	if (item.type === "delivery") return [item.eventId];
	return [item.messageId, item.messageGuid ?? item.messageId];
}

/** An item in one line. */
export function lineOf(terminal: Terminal, item: ListedItem): string {
	if (item.type === "request") return requestLine(terminal, item);
	return item.type === "delivery" ? deliveryLine(terminal, item) : messageLine(terminal, item);
}

/** Everything about an item. */
export function describeItem(terminal: Terminal, item: ListedItem): string {
	const { type: _, ...view } = item;
	const parts =
		item.type === "message"
			? [indented(toText(view))]
			: item.type === "delivery"
				? partsOfDelivery(terminal, item)
				: partsOfRequest(terminal, item);
	const remedies = "diagnosis" in item ? commandsOf(item.diagnosis?.remedies ?? []) : "";
	return [lineOf(terminal, item) + remedies, ...parts].join("\n\n");
}

/** The commands that fix a failure, as they can be copied. */
function commandsOf(remedies: readonly Remedy[]): string {
	return remedies
		.flatMap(({ label, command }) => (command === undefined ? [] : `\n${indented(`${label}: ${command}`)}`))
		.join("");
}

function partsOfRequest(terminal: Terminal, request: RequestView | RequestDetails): string[] {
	if (!("headers" in request)) return [];
	const { method, path, query, headers, body, status, responseBody, signature } = request;
	const checked = signature === undefined ? "" : `, its signature was ${signature}`;
	return [
		titled(terminal, `Request${checked}`, `${method} ${path}${query}`, headers, body),
		titled(terminal, "Response", String(status ?? "none"), {}, responseBody ?? ""),
	];
}

function partsOfDelivery(terminal: Terminal, delivery: DeliveryView): string[] {
	const { url, headers, body, attempts } = delivery;
	const responses = attempts.map((attempt, at) => {
		const { status, error, response } = attempt;
		const line = error ?? `${status ?? "no response"}`;
		return titled(terminal, `Attempt ${at + 1}`, line, response?.headers ?? {}, response?.body ?? "");
	});
	return [
		titled(terminal, "Webhook", url === "" ? "no URL is set" : `POST ${url}`, headers, body),
		...responses,
	];
}

/** A title, and below it a message as it is sent. */
function titled(
	terminal: Terminal,
	title: string,
	start: string,
	headers: Readonly<Record<string, string>>,
	body: string,
): string {
	const lines = [start, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
	const message = body === "" ? lines : [...lines, "", body];
	return `${terminal.paint("bold", title)}\n${indented(message.join("\n"))}`;
}
