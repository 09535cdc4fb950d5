import { isJsonObject } from "../../../library/is-object.ts";
import { hideInPath } from "../../hide-handles.ts";
import { describeRest } from "../../local-gateway/duration.ts";
import type { Conversation } from "../../local-gateway/records.ts";
import type { HandledRequest } from "../../local-gateway/traffic.ts";
import type { RequestCause } from "./causes.ts";
import type { Remedy } from "./remedy.ts";
import type { Words } from "./words.ts";
import { toShellWord, writeCommand } from "./write-command.ts";

/** What is known of a request and of the gateway that rejected it. */
export interface RequestFacts {
	readonly request: HandledRequest;
	/** What the gateway responded. */
	readonly message: string;
	/** Why the signature was not accepted, without a period. */
	readonly words: string;
	readonly details: Readonly<Record<string, unknown>>;
	/** The invalid fields. */
	readonly fields: readonly string[];
	readonly baseUrl: string;
	readonly appId: string;
	/** The conversation that the request is about. */
	readonly conversation: Pick<Conversation, "contacts" | "groupId"> | undefined;
	/** Whether a reply ends all windows of the contact's messages. */
	readonly doesReplyClearAll: boolean;
	/** An agent that is offline. */
	readonly offlineAgent: string | undefined;
}

const copyAppSecret = ({ baseUrl }: RequestFacts): Remedy => ({
	label: "Copy the App Secret",
	copies: "appSecret",
	command: writeCommand("env --force", baseUrl),
});

const SIGN =
	"Send it with the client of this package, with `npx messaging-gateway call`, or signed by signRequest.";

const clearFaults = ({ baseUrl }: RequestFacts): Remedy => ({
	label: "End all faults",
	command: writeCommand("fault clear", baseUrl),
	actions: [{ type: "clear_faults" }],
});

const turnRulesOff = ({ baseUrl }: RequestFacts): Remedy => ({
	label: "Turn the rules off",
	command: writeCommand("rules off", baseUrl),
	actions: [{ type: "rules", areOn: false }],
});

/** A reply, which ends the contact's window and its count of unanswered messages, and then a move past other windows. */
function replyAs({ conversation, baseUrl }: RequestFacts, thenMs = 0): readonly Remedy[] {
	const [from] = conversation?.contacts ?? [];
	if (from === undefined) return [];
	const groupId = conversation?.groupId ?? undefined;
	const group = groupId === undefined ? "" : ` --group ${groupId}`;
	const reply: Remedy = {
		label: "Reply as the contact",
		command: writeCommand(`contact reply --from ${toShellWord(from)} --text ok${group}`, baseUrl),
		actions: [{ type: "reply", from, text: "ok", groupId }],
	};
	return [thenMs === 0 ? reply : join(reply, advance(thenMs, baseUrl))];
}

function join(first: Remedy, second: Remedy): Remedy {
	return {
		label: `${first.label}, then ${second.label.charAt(0).toLowerCase()}${second.label.slice(1)}`,
		command: `${first.command} && ${second.command}`,
		actions: [...(first.actions ?? []), ...(second.actions ?? [])],
	};
}

function advance(ms: number, baseUrl: string): Remedy {
	return {
		label: `Move the clock by ${describeRest(ms)}`,
		command: writeCommand(`clock ${Math.ceil(ms / 1_000)} s`, baseUrl),
		actions: [{ type: "advance_clock", ms }],
	};
}

/** The open windows that block a message, by scope, and how long each does. */
function windowsOf({ details }: RequestFacts): { readonly scope: string; readonly ms: number }[] {
	const windows = isJsonObject(details["windows"]) ? details["windows"] : {};
	return Object.entries(windows).map(([scope, seconds]) => ({ scope, ms: Number(seconds) * 1_000 }));
}

const longest = (windows: readonly { readonly ms: number }[]): number =>
	Math.max(0, ...windows.map(({ ms }) => ms));

/** Each way in which a request can fail. */
export const REQUEST_WORDS = {
	// A fault, whatever the request.
	response_by_fault: (facts) => ({
		reason: `A fault responded ${facts.request.status} instead of the gateway.`,
		fix: "End the fault, or let the client try again once its times are over.",
		remedies: [clearFaults(facts)],
	}),
	connection_broken_by_fault: (facts) => ({
		reason: "A fault broke the connection, so the client got no response.",
		fix: "End the fault, or let the client try again once its times are over.",
		remedies: [clearFaults(facts)],
	}),
	response_corrupted_by_fault: (facts) => ({
		reason: "The gateway processed the request, and a fault corrupted its response.",
		fix: "End the fault; the message of this request was accepted.",
		remedies: [clearFaults(facts)],
	}),

	// The signature.
	signed_with_webhook_secret: (facts) => ({
		reason: "The request is signed with the webhook secret instead of the App Secret.",
		fix: "Give the client the App Secret: MESSAGING_GATEWAY_APP_SECRET and MESSAGING_GATEWAY_WEBHOOK_SECRET are two secrets.",
		remedies: [copyAppSecret(facts)],
	}),
	signed_with_secret_of_another_app: () => ({
		reason: "The request is signed with the App Secret of another app id.",
		fix: "Give the client the app id and the App Secret of the same app.",
	}),
	signed_in_another_form: ({ words }) => ({
		reason: `The App Secret is correct, but the client signs in another form: ${words}.`,
		fix: "Sign with this package, or run the gateway with a profile of this form (`npx messaging-gateway dev --profile FILE`).",
	}),
	other_app_secret: (facts) => ({
		reason:
			"The signature matches no secret of this gateway: the client has another App Secret, or the request was changed after it was signed.",
		fix: "Copy the App Secret of this gateway to the client.",
		remedies: [copyAppSecret(facts)],
	}),
	other_app_id: (facts) => ({
		reason: `The app id of the request isn't that of this gateway, ${facts.appId}.`,
		fix: "Copy the app id and the App Secret of this gateway to the client.",
		remedies: [copyAppSecret(facts)],
	}),
	not_signed: ({ words }) => ({
		reason: `The request isn't signed: ${words}.`,
		fix: SIGN,
	}),
	signature_malformed: ({ words }) => ({
		reason: `The request is signed in a form that no gateway accepts: ${words}.`,
		fix: SIGN,
	}),
	clock_differs: (facts) => ({
		reason: `The clocks of client and gateway differ: ${facts.words}.`,
		fix: "Let the client try again, since it corrects its clock by the response; set the machine's clock, or end the fault that moved the gateway's.",
		remedies: [clearFaults(facts)],
	}),
	nonce_repeated: () => ({
		reason: "The same signed request arrived before: its nonce was used.",
		fix: "Sign each try again with a new nonce, as the client does; find what sends a request twice.",
	}),
	nonce_not_checked: ({ message }) => ({ reason: message, fix: "Try again, or raise maxEntries." }),
	body_too_large: ({ message }) => ({
		reason: message,
		fix: "Send less in one request: give attachments as URLs.",
	}),

	// The address.
	wrong_base_path: ({ request, baseUrl }) => ({
		reason: `The client uses another base path: ${hideInPath(request.path)} is an operation, but not at this path.`,
		fix: `Set the client's baseUrl to ${baseUrl}.`,
	}),
	unknown_path: ({ request }) => ({
		reason: `No operation has the path ${hideInPath(request.path)}.`,
		fix: "Call the operation with a method of the client; `npx messaging-gateway call` lists them.",
	}),
	wrong_method: ({ request }) => ({
		reason: `The path ${hideInPath(request.path)} has no ${request.method}.`,
		fix: "Call the operation with a method of the client, which knows its HTTP method.",
	}),

	// The rules.
	duplicate: (facts) => {
		const windows = windowsOf(facts);
		const others = windows.filter(({ scope }) => scope !== "contact");
		const isOfContact = windows.length > others.length;
		const afterReplyMs = facts.doesReplyClearAll ? 0 : longest(others);
		const scopes = windows.map(({ scope }) => SCOPES[scope] ?? scope);
		return {
			reason: `The duplicate rule blocked the message: the same one was sent ${scopes.join(" and ")}, and stays blocked for another ${describeRest(longest(windows))}.`,
			fix: `${isOfContact ? "Let the contact reply" : "Move the clock"}${isOfContact && afterReplyMs > 0 ? ` and move the clock by ${describeRest(afterReplyMs)}` : ""}, send another text, or turn the rules off.`,
			remedies: [
				...(isOfContact ? replyAs(facts, afterReplyMs) : []),
				advance(longest(windows), facts.baseUrl),
				turnRulesOff(facts),
			],
		};
	},
	too_many_unanswered: (facts) => ({
		reason: `The contact hasn't replied to the last messages, ${facts.details["consecutiveCount"]} of them, and the rules allow no more.`,
		fix: "Let the contact reply, reset the mapping's count, or turn the rules off.",
		remedies: [...replyAs(facts), turnRulesOff(facts)],
	}),
	no_agent_online: ({ offlineAgent }) => ({
		reason: "No agent is online and not blocked, so nothing can be sent.",
		fix: "Bring an agent online, unblock one, or register one.",
		remedies:
			offlineAgent === undefined
				? []
				: [
						{
							label: "Bring an agent online",
							actions: [{ type: "agent_online", agentNumber: offlineAgent, isOnline: true }],
						},
					],
	}),
	agent_blocked: () => ({
		reason: "The agent is blocked, so it doesn't send.",
		fix: "Unblock the agent (agents.unblock), or send from another one.",
	}),

	// The input.
	invalid_fields: ({ fields, message }) => ({
		reason: fields.length === 0 ? message : `The request is invalid: ${fields.join(", ")}.`,
		fix: "Correct the fields and send again: nothing was sent.",
	}),
	not_found: ({ message }) => ({
		reason: message,
		fix: "Check the number or the id: it may be of another gateway, or of before a reset.",
	}),
	conflict: ({ message }) => ({ reason: message, fix: "Read the current state, and change that." }),
	not_supported: ({ message }) => ({ reason: message, fix: "Send something else: nothing was sent." }),
	unavailable: ({ message }) => ({
		reason: message,
		fix: "Try again later; the client does for calls that may be repeated.",
	}),
	gateway_failed: ({ message }) => ({
		reason: message,
		fix: "Check the codecs of the profile; without one, report this with the request.",
	}),
} as const satisfies Readonly<Record<RequestCause, (facts: RequestFacts) => Words>>;

const SCOPES: Readonly<Record<string, string>> = {
	contact: "to this contact",
	agent: "by this agent to another contact",
	account: "by this account",
};
