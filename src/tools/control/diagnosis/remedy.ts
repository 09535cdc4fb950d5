import type { Action } from "../action.ts";

/** Something that fixes a failure: a button for `actions`, or a command to copy. */
export interface Remedy {
	/** What it does, for a button. */
	readonly label: string;
	/** The command that does it. */
	readonly command?: string;
	/** The actions that do it, in this order. */
	readonly actions?: readonly Action[];
	/** The secret to copy, which is one of the credentials. */
	readonly copies?: "appSecret" | "webhookSecret";
}
