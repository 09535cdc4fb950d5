import { joined, wordsOf } from "./words.ts";

const names = (table: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> =>
	Object.fromEntries(Object.entries(table).map(([ours, theirs]) => [ours, theirs.split(" ")]));

/** What our values may be called, by the field that has them. */
const VALUES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
	reaction: names({
		love: "love loved heart ❤️ ❤ ♥️ ♥",
		like: "like liked thumbsup thumbup thumb 👍",
		dislike: "dislike disliked thumbsdown thumbdown 👎",
		laugh: "laugh laughed haha 😂 🤣",
		emphasize: "emphasize emphasized emphasis emphasise exclaim exclamation ‼️ ‼ ❗ ❗️",
		question: "question questioned questionmark ❓ ❔ ？",
	}),
	action: names({
		add: "add added set create on react apply put",
		remove: "remove removed unset delete off unreact clear",
	}),
	state: names({
		start: "start started on typing composing begin active true",
		stop: "stop stopped off paused pause idle end inactive false none",
	}),
	messageStatus: names({
		queued: "queued pending waiting accepted scheduled created submitted enqueued processing sending new",
		sent: "sent dispatched ontheway",
		SMS_FALLBACK: "smsfallback fallback fallbacksms",
		delivered: "delivered received arrived",
		read: "read seen opened displayed",
		failed: "failed error errored undelivered rejected undeliverable expired failure",
	}),
	agentStatus: names({
		online: "online connected active up ready available",
		offline: "offline disconnected inactive down away unavailable",
		blocked: "blocked suspended disabled banned",
	}),
	service: names({ native: "native imessage blue", SMS: "sms green", unknown: "unknown none" }),
	native: names({ true: "native imessage blue true yes", false: "sms green false no none" }),
	outbound: names({
		true: "outbound out outgoing sent true mt",
		false: "inbound in incoming received false mo",
	}),
};

/** What a value of a field is on the wire; `undefined` if none of the choices is it. */
export function wireValueOf<Choice extends string | number | boolean>(
	field: string,
	ours: string,
	choices: readonly Choice[],
): Choice | undefined {
	const exact = choices.find((choice) => choice === ours);
	if (exact !== undefined) return exact;
	const known = VALUES[field]?.[ours] ?? [ours.toLowerCase()];
	const named = choices.filter((choice) => isNamed(String(choice), known));
	const found =
		named.length > 0 ? named : choices.filter((choice) => isNamed(lastWordOf(String(choice)), known));
	return found.length === 1 ? found[0] : undefined;
}

/** Which of ours a value on the wire is. */
export function ourValueOf(field: string, wire: string): string | undefined {
	const find = (name: string): string | undefined =>
		Object.entries(VALUES[field] ?? {}).find(([, known]) => isNamed(name, known))?.[0];
	// A direction may say more behind it, such as outbound-api.
	return find(wire) ?? (field === "outbound" ? find(wordsOf(wire)[0] ?? "") : undefined);
}

/** The values that a field can have. */
export function ourValuesOf(field: string): readonly string[] {
	return Object.keys(VALUES[field] ?? {});
}

/** The last word of several, unless one of them turns it round. */
function lastWordOf(wire: string): string {
	const words = wordsOf(wire);
	return words.some((word) => /^(not|no|un|non)$/.test(word)) ? "" : (words.at(-1) ?? "");
}

function isNamed(wire: string, known: readonly string[]): boolean {
	return known.includes(wire) || known.includes(joined(wire));
}
