import type { Action } from "../action.ts";

/** What a person replaces in a command. */
export const URL_TO_FILL_IN = "URL";

/** A fix for a failure: a button for `actions`, or a command to copy. */
export interface Remedy {
	/** The effect of the fix, for a button. */
	readonly label: string;
	/** The command that fixes it. */
	readonly command?: string;
	/**
	 * The webhook URL, which only a person knows. It is registered before the actions, and stands as `URL` in the
	 * command.
	 */
	readonly asksFor?: "inboundWebhookUrl" | "statusWebhookUrl";
	/** The actions that fix it, in this order. */
	readonly actions?: readonly Action[];
	/** The secret to copy, which is one of the credentials. */
	readonly copies?: "appSecret" | "webhookSecret";
}
