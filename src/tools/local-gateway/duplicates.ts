import type { DuplicateInfo } from "../../library/errors.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { AcceptedSend, Conversation } from "./records.ts";
import { RequestRejection } from "./request-rejection.ts";
import type { Rules } from "./settings.ts";

/** The scopes in the order in which a send is checked; the first open window blocks it. Assumed. */
const SCOPES = ["contact", "agent", "account"] as const;

type Scope = (typeof SCOPES)[number];

/** The fields of a send that the duplicate rule compares. */
export interface ComparedSend {
	readonly conversation: Conversation;
	/** The chat's window at that time. */
	readonly windowId: number;
	readonly agentNumber: string;
	readonly signature: string;
}

/** An open window and the message that opened it. */
export interface OpenWindow {
	readonly scope: Scope;
	readonly messageId: string;
	readonly endsAt: number;
}

/** The duplicate windows (specification, section 2.4): one entry for each message and scope, found by key. */
export class AcceptedSends {
	readonly #accepted: Readonly<Record<Scope, BoundedMap<string, AcceptedSend>>>;
	readonly #rules: Rules;
	readonly #longestMs: number;
	readonly #maxEntries: number;

	constructor(rules: Rules, maxEntries: number) {
		this.#rules = rules;
		this.#longestMs = Math.max(...Object.values(rules.windowSeconds)) * 1000;
		this.#maxEntries = maxEntries;
		this.#accepted = {
			contact: new BoundedMap(maxEntries),
			agent: new BoundedMap(maxEntries),
			account: new BoundedMap(maxEntries),
		};
	}

	/** @throws RequestRejection when the same message was accepted within one of the windows. */
	check(attempt: ComparedSend, now: number): void {
		const hit = this.#findHit(attempt, now);
		const { conversation, signature, agentNumber } = attempt;
		const isDuplicate = hit !== undefined;
		conversation.lastAttempt = { signature, agentNumber, isDuplicate };
		if (!isDuplicate) return;
		if (this.#rules.blockedAttempts === "extend") this.#extend(hit.accepted, conversation, now);
		const secondsLeft = this.#secondsLeft(hit.scope, hit.accepted.at, now);
		throw new RequestRejection("DUPLICATE_MESSAGE", describeBlock(hit.scope, secondsLeft), {
			details: {
				...toDuplicateInfo(hit.accepted, { signature, isDuplicate }, secondsLeft),
				message: describeBlock(hit.scope, secondsLeft),
				rule: "duplicate",
				scope: hit.scope,
				messageId: hit.accepted.messageId,
				option: optionOf(hit.scope),
				windows: Object.fromEntries(
					this.#findHits(attempt, now).map(({ scope, secondsLeft }) => [scope, secondsLeft]),
				),
			},
		});
	}

	/** Opens the windows of a message that was accepted at `at`. */
	open({ conversation, ...attempt }: ComparedSend, messageId: string, at: number): void {
		const accepted = { ...attempt, at, messageId, chatKey: conversation.key };
		conversation.lastAccepted = { signature: attempt.signature, at, messageId };
		this.#remember(conversation.opened, accepted);
		for (const scope of SCOPES) this.#keep(scope, accepted);
	}

	#keep(scope: Scope, accepted: AcceptedSend): void {
		const key = this.#keyOf(scope, accepted);
		// Deleted first: the entry becomes the youngest.
		this.#accepted[scope].delete(key);
		this.#accepted[scope].set(key, accepted);
	}

	/** Starts the open windows of a message again. */
	#extend(accepted: AcceptedSend, conversation: Conversation, now: number): void {
		const open = SCOPES.filter((scope) => this.#isOpen(scope, accepted, now));
		accepted.at = now;
		for (const scope of open) this.#keep(scope, accepted);
		if (conversation.lastAccepted?.messageId === accepted.messageId)
			conversation.lastAccepted = { ...conversation.lastAccepted, at: now };
	}

	#isOpen(scope: Scope, accepted: AcceptedSend, now: number): boolean {
		const kept = this.#accepted[scope].get(this.#keyOf(scope, accepted));
		return kept === accepted && this.#secondsLeft(scope, accepted.at, now) > 0;
	}

	/** The windows that messages of a conversation opened and that still block sends. */
	openWindows(conversation: Conversation, now: number): OpenWindow[] {
		return conversation.opened.flatMap((accepted) =>
			SCOPES.filter((scope) => this.#isOpen(scope, accepted, now))
				.filter((scope) => scope !== "contact" || accepted.windowId === conversation.windowId)
				.map((scope) => ({
					scope,
					messageId: accepted.messageId,
					endsAt: accepted.at + this.#rules.windowSeconds[scope] * 1000,
				})),
		);
	}

	/** Forgets a message that failed before it was sent: sending it again is no duplicate. Assumed. */
	release(attempt: ComparedSend, messageId: string): void {
		if (attempt.conversation.lastAccepted?.messageId === messageId)
			attempt.conversation.lastAccepted = undefined;
		for (const scope of SCOPES) {
			const key = this.#keyOf(scope, attempt);
			if (this.#accepted[scope].get(key)?.messageId === messageId) this.#accepted[scope].delete(key);
		}
	}

	/** Clears what a reply clears: the contact's own window (section 2.4), and with `replyClears: "all"` the others. */
	clearOnReply(conversation: Conversation, newWindowId: number): void {
		this.clear(conversation, newWindowId);
		if (this.#rules.replyClears === "contact") return;
		for (const accepted of conversation.opened.splice(0)) {
			for (const scope of SCOPES) {
				const key = this.#keyOf(scope, accepted);
				if (this.#accepted[scope].get(key) === accepted) this.#accepted[scope].delete(key);
			}
		}
	}

	/** Clears only the contact's own window. */
	clear(conversation: Conversation, newWindowId: number): void {
		conversation.windowId = newWindowId;
		conversation.lastAccepted = undefined;
	}

	/**
	 * The duplicate info of a mapping, while its window is open. It compares the last attempt with the accepted
	 * message that blocks it, or else with the chat's last accepted one. Assumed.
	 */
	describe(conversation: Conversation, now: number): DuplicateInfo | undefined {
		const { lastAccepted, lastAttempt, windowId } = conversation;
		if (lastAccepted === undefined || lastAttempt === undefined) return undefined;
		const secondsLeft = this.#secondsLeft("contact", lastAccepted.at, now);
		if (secondsLeft <= 0) return undefined;
		const { signature, agentNumber, isDuplicate } = lastAttempt;
		const attempt = { conversation, windowId, signature, agentNumber };
		const hit = isDuplicate ? this.#findHit(attempt, now) : undefined;
		if (hit === undefined)
			return toDuplicateInfo(lastAccepted, { signature, isDuplicate: false }, secondsLeft);
		return toDuplicateInfo(hit.accepted, { signature, isDuplicate }, hit.secondsLeft);
	}

	/** The accepted message whose window blocks the attempt. */
	#findHit(attempt: ComparedSend, now: number) {
		return this.#findHits(attempt, now)[0];
	}

	#findHits(attempt: ComparedSend, now: number) {
		return SCOPES.flatMap((scope) => {
			const accepted = this.#accepted[scope].get(this.#keyOf(scope, attempt));
			if (accepted?.signature !== attempt.signature) return [];
			if (accepted.chatKey === attempt.conversation.key && !this.#blocksSameContact(scope)) return [];
			const secondsLeft = this.#secondsLeft(scope, accepted.at, now);
			return secondsLeft > 0 ? [{ scope, accepted, secondsLeft }] : [];
		});
	}

	/**
	 * Whether a window also blocks the same message to the same contact. The agent's does not, being "across contacts"
	 * (section 2.4); for the account's this is not shown, so it is an option.
	 */
	#blocksSameContact(scope: Scope): boolean {
		return scope === "contact" || (scope === "account" && this.#rules.accountWindow === "all_contacts");
	}

	/** A message replaces the one with its key: an equal one, or with `duplicateOf: "last"` the owner's last one. */
	#keyOf(scope: Scope, { windowId, agentNumber, signature }: Omit<ComparedSend, "conversation">): string {
		const owner = { contact: String(windowId), agent: agentNumber, account: "" }[scope];
		return this.#rules.duplicateOf === "last" ? owner : `${owner} ${signature}`;
	}

	/** Adds a send. Once the windows of the older half are over, that half is removed: one removal moves the rest once. */
	#remember(opened: AcceptedSend[], accepted: AcceptedSend): void {
		const half = opened.length >> 1;
		const middle = opened[half];
		const isHalfOver = middle !== undefined && middle.at + this.#longestMs <= accepted.at;
		if (isHalfOver) opened.splice(0, half + 1);
		else if (opened.length >= 2 * this.#maxEntries) opened.splice(0, this.#maxEntries);
		opened.push(accepted);
	}

	#secondsLeft(scope: Scope, acceptedAt: number, now: number): number {
		return this.#rules.windowSeconds[scope] - (now - acceptedAt) / 1000;
	}
}

function optionOf(scope: Scope): string {
	return `rules.duplicateWindowSeconds.${scope}`;
}

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
	contact: "to this contact",
	agent: "by this agent to another contact",
	account: "by this account",
};

const NO_RULES = "`npx messaging-gateway rules off` turns all rules off.";

/** How to change a window of the command's gateway. */
const COMMAND_HINTS: Readonly<Record<Scope, string>> = {
	contact: "For `messaging-gateway dev`, DUPLICATE_SAME_NUMBER_WINDOW_SECONDS does the same.",
	agent: NO_RULES,
	account: NO_RULES,
};

function describeBlock(scope: Scope, secondsLeft: number): string {
	return (
		`Blocked by the duplicate rule, scope ${scope}: the same message was sent ${SCOPE_WORDS[scope]}; ` +
		`${Math.ceil(secondsLeft)} s are left. The option ${optionOf(scope)} changes it; 0 turns it off. ${COMMAND_HINTS[scope]}`
	);
}

function toDuplicateInfo(
	accepted: { readonly signature: string },
	attempt: { readonly signature: string; readonly isDuplicate: boolean },
	timeRemaining: number,
): DuplicateInfo {
	return {
		isDuplicate: attempt.isDuplicate,
		lastMessageSignature: accepted.signature,
		currentMessageSignature: attempt.signature,
		timeRemaining,
		message: attempt.isDuplicate
			? "The last message was blocked: the same one had been sent within a duplicate window."
			: "The same message would be blocked until the window is over.",
	};
}
