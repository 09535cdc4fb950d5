/** A mistake on purpose, under which the verdict must find something. */
export const INBOX_BREAKS = {
	apart: "the handler commits its effect by itself",
	later: "the handler returns before its effect is written",
	blind: "the inbox does not heed its record",
} as const;

export type InboxBreak = keyof typeof INBOX_BREAKS;

/** The settings of a receiver with an inbox, in its environment. */
export interface InboxReceiverSettings {
	readonly url: string;
	/** How many connections its pool has. */
	readonly connections: number;
	readonly break?: InboxBreak | undefined;
}

/** The statements of an event, by what they contain. A cut late at one is a loss after it was sent. */
export const STATEMENTS = {
	begin: "BEGIN",
	lock: "pg_try_advisory_xact_lock",
	record: "AS record",
	savepoint: "SAVEPOINT",
	effect: "INTO effects",
	check: "pg_current_xact_id_if_assigned",
	commit: "COMMIT",
} as const;

/**
 * What happens to a receiver before a statement: it is killed or stopped, its connection is cut before or after the
 * statement is sent, or something else takes all connections of its pool for a while.
 */
export interface Strike {
	readonly kind: "kill" | "stop" | "cut" | "cut late" | "full pool";
	readonly before: keyof typeof STATEMENTS;
}

export function nameOfStrike({ kind, before }: Strike): string {
	return `${kind} before ${before}`;
}

/** What a handler does wrong. Only `ask the pool` and `commit` are no failure by themselves: it goes on after them. */
export type Misdeed = "fail" | "swallow" | "commit" | "hidden commit" | "ask the pool";

/** What comes with a delivery. */
export interface Orders {
	readonly strike?: Strike | undefined;
	readonly misdeed?: Misdeed | undefined;
}

/** The variable that holds the settings as JSON. */
export const INBOX_VARIABLE = "CHAOS_INBOX";

/** The header with a delivery's orders as JSON. */
export const ORDERS_HEADER = "x-chaos-orders";
