import type { Action } from "../action.ts";

/** What a person replaces in a command. */
export const URL_TO_FILL_IN = "URL";

/** Something that fixes a failure: a button for `actions`, or a command to copy. */
export interface Remedy {
	/** What it does, for a button. */
	readonly label: string;
	/** The command that does it. */
	readonly command?: string;
	/** The webhook URL that only a person knows: it is registered before the actions, and stands as `URL` in the command. */
	readonly asksFor?: "inboundWebhookUrl" | "statusWebhookUrl";
	/** The actions that do it, in this order. */
	readonly actions?: readonly Action[];
	/** The secret to copy, which is one of the credentials. */
	readonly copies?: "appSecret" | "webhookSecret";
}
