import type { FailureDiagnosis, Page } from "../../control/contract.ts";
import type { ListedItem } from "../local/items.ts";

/** How much of an id is shown; the tools find an item by its beginning. */
const SHOWN_OF_ID = 8;
const MAX_TEXT_LENGTH = 60;

/** A list as a model reads it: a line for each item, and each reason once. */
export interface Summary {
	/** The id, the time, what it is, its result and its conversation; the oldest first. */
	readonly lines: readonly string[];
	/** Why items failed, and what to do, by the cause that ends their lines. */
	readonly failures?: Readonly<Record<string, Pick<FailureDiagnosis, "reason" | "fix">>>;
	/** How many older items there are, and `before` for them. */
	readonly older?: { readonly count: number; readonly before: number };
	/** For `after` of a later call, which then has only what is new. */
	readonly after: number;
}

export function summarizePage({ items, older }: Pick<Page<ListedItem>, "items" | "older">): Summary {
	const diagnoses = items.flatMap((item) => diagnosisOf(item) ?? []);
	const failures = diagnoses.map(({ cause, reason, fix }) => [cause, { reason, fix }] as const);
	return {
		lines: items.map(toLine),
		...(failures.length === 0 ? {} : { failures: Object.fromEntries(failures) }),
		...(older === 0 ? {} : { older: { count: older, before: items[0]?.sequence ?? 0 } }),
		after: Math.max(0, ...items.map(({ sequence }) => sequence)),
	};
}

function diagnosisOf(item: ListedItem): FailureDiagnosis | undefined {
	return item.type === "message" ? undefined : item.diagnosis;
}

function toLine(item: ListedItem): string {
	const cause = diagnosisOf(item)?.cause;
	return [...partsOf(item), ...(cause === undefined ? [] : [cause])].join(" ");
}

function partsOf(item: ListedItem): (string | number)[] {
	switch (item.type) {
		case "message": {
			const { messageId, timestamp_ms, from, to, status, text } = item;
			const quoted = JSON.stringify(
				text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text,
			);
			return [shorten(messageId), timeOf(timestamp_ms), `${from} → ${to}`, status, quoted];
		}
		case "request": {
			const { requestId, at, operationId, method, path, status, conversationKey } = item;
			const what = `← ${operationId ?? `${method} ${path}`}`;
			return [shorten(requestId), timeOf(at), what, status ?? "no response", conversationKey ?? ""];
		}
		case "delivery": {
			const { eventId, createdAt, kind, attempts, state, conversationKey } = item;
			const status = attempts.at(-1)?.status ?? "no response";
			const result = state === "kept" ? state : `${status} ${state}`;
			return [shorten(eventId), timeOf(createdAt), `→ ${kind}`, result, conversationKey];
		}
	}
}

function shorten(id: string): string {
	return id.slice(0, id.startsWith("evt_") ? "evt_".length + SHOWN_OF_ID : SHOWN_OF_ID);
}

function timeOf(at: number): string {
	return new Date(at).toISOString().slice("2000-01-01T".length, "2000-01-01T00:00:00".length);
}
