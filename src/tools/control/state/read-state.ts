import type * as z from "zod/mini";
import { describeIssue, OWN_MESSAGES } from "../../../library/catalogue/check.ts";
import { ConfigurationError } from "../../../library/errors.ts";
import {
	type StoredAgent,
	type StoredConversation,
	type StoredDelivery,
	type StoredGateway,
	type StoredHappening,
	type StoredMessage,
	storedAgent,
	storedConversation,
	storedDelivery,
	storedGateway,
	storedHappening,
	storedMessage,
} from "./rows.ts";
import type { FoundRow, StateStore } from "./state-store.ts";

/** The state of an earlier run, each list in order. */
export interface SavedState {
	readonly gateway: StoredGateway | undefined;
	readonly agents: readonly StoredAgent[];
	readonly conversations: readonly StoredConversation[];
	readonly messages: readonly StoredMessage[];
	readonly deliveries: readonly StoredDelivery[];
	readonly happenings: readonly StoredHappening[];
	/** The bytes of attachments, by id. */
	readonly attachments: ReadonlyMap<string, Uint8Array>;
}

/**
 * Reads and validates the rows of a store.
 * @throws ConfigurationError when a row is invalid.
 */
export function readState(store: Pick<StateStore, "load">): SavedState {
	const rows = store.load();
	const read = <Value>(kind: string, schema: z.ZodMiniType<Value>): Value[] =>
		rows.flatMap((row) => (row.kind === kind ? [parse(schema, row)] : []));
	return {
		gateway: read("gateway", storedGateway)[0],
		agents: inOrder(read("agent", storedAgent)),
		conversations: inOrder(read("conversation", storedConversation)),
		messages: inOrder(read("message", storedMessage)),
		deliveries: inOrder(read("delivery", storedDelivery)),
		happenings: inOrder(read("happening", storedHappening)),
		attachments: new Map(rows.flatMap(({ id, value }) => (typeof value === "string" ? [] : [[id, value]]))),
	};
}

function inOrder<Item extends { readonly sequence: number }>(items: Item[]): Item[] {
	return items.sort((left, right) => left.sequence - right.sequence);
}

function parse<Value>(schema: z.ZodMiniType<Value>, { kind, value }: FoundRow): Value {
	const result = schema.safeParse(parseJson(value), OWN_MESSAGES);
	if (result.success) return result.data;
	const [issue] = result.error.issues.map((issue) => describeIssue(schema, issue));
	throw new ConfigurationError(
		`the state is damaged: ${kind}.${issue?.path ?? ""} ${issue?.message ?? "cannot be read"}; name another file, or remove this one`,
	);
}

function parseJson(value: FoundRow["value"]): unknown {
	try {
		return typeof value === "string" ? JSON.parse(value) : undefined;
	} catch {
		return undefined;
	}
}
