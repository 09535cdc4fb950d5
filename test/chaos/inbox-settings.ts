/** The settings of a receiver with an inbox, in its environment. */
export interface InboxReceiverSettings {
	readonly url: string;
	readonly secret: string;
	readonly maxHandlerMs: number;
}

/** What happens to a receiver: it is killed or stopped, or its connection is cut before or after a statement is sent. */
export interface Strike {
	readonly kind: "kill" | "stop" | "cut" | "cut late";
	/** How many statements come before it. */
	readonly before: number;
}

/** The variable that holds the settings as JSON. */
export const INBOX_VARIABLE = "CHAOS_INBOX";

/** The header with a strike as JSON. */
export const STRIKE_HEADER = "x-chaos-strike";
