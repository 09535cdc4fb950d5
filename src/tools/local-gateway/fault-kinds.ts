import { describeDuration } from "./duration.ts";

/** The kinds of faults, each declared once: the gateway, its control, the command and the page read this file. */

/** A fault of a request. A skew affects all requests until it is cleared. */
export type RequestFaultChoice =
	| { kind: "respond"; status: number; retryAfterSeconds?: number | undefined }
	| { kind: "delay"; ms: number }
	| { kind: "drop"; when: "before" | "after" }
	| { kind: "corrupt"; as: "html" | "truncated" | "empty" }
	| { kind: "repeat"; response: "copy" | "first" }
	| { kind: "skew"; ms: number };

/** A fault of a delivery. */
export type WebhookFaultChoice =
	| { kind: "tamper" }
	| { kind: "wrong_signature" }
	| { kind: "stale" }
	| { kind: "out_of_order" }
	| { kind: "repeat" }
	| { kind: "repeat_attempt"; response: "copy" | "first"; delayMs?: number | undefined }
	| { kind: "delay"; ms: number };

/** A number that a fault needs. */
export interface NumberSetting {
	/** What it is, for a form. */
	readonly label: string;
	/** Milliseconds may have a fraction; other numbers are integers. */
	readonly isDuration?: true;
	readonly minimum: number;
	readonly maximum: number;
	/** Where a form starts. */
	readonly start: number;
	/** The numbers that a form offers. @default any */
	readonly usual?: readonly number[];
	/** The unit in a form. */
	readonly unit?: string;
	/** How many milliseconds, or other numbers, one unit of the form has. @default 1 */
	readonly perUnit?: number;
	/** The option of the command; it may be absent then. @default an argument */
	readonly option?: string;
}

/** One of several words that a fault needs. */
export interface WordSetting<Word extends string = string> {
	/** What it is, for a form, which starts with the first word. */
	readonly label: string;
	readonly words: readonly Word[];
}

/** A setting of a fault. */
export type FaultSetting = NumberSetting | WordSetting;

type SettingOf<Value> = [Value] extends [string] ? WordSetting<Value> : NumberSetting;

/** A kind of fault in words and forms. */
export interface FaultKind<Choice = unknown> {
	/** What it is, in two words. */
	readonly title: string;
	/** What the gateway then does, in a sentence. */
	readonly summary: string;
	/** In the order of the command's arguments. */
	readonly settings: {
		readonly [Name in Exclude<keyof Choice, "kind">]-?: SettingOf<NonNullable<Choice[Name]>>;
	};
	/** How it counts: `once` if its `times` are those within one use, such as the repeats of one event, `on` if it has none. */
	readonly lasts?: "once" | "on";
}

/** Every kind has its row, with the settings of its choice. */
export type FaultKinds<Choice extends { kind: string }> = {
	readonly [Kind in Choice["kind"]]: FaultKind<Extract<Choice, { kind: Kind }>>;
};

const YEAR_MS = 31_622_400_000;

/** The faults of requests. */
export const REQUEST_FAULTS: FaultKinds<RequestFaultChoice> = {
	respond: {
		title: "Error response",
		summary: "Respond with a status instead of processing the request.",
		settings: {
			status: {
				label: "HTTP status",
				minimum: 200,
				maximum: 599,
				start: 500,
				usual: [500, 429, 503, 502, 504, 408, 401, 403, 404, 409, 400],
			},
			retryAfterSeconds: {
				label: "Retry-After in seconds, 0 for none",
				unit: "s Retry-After",
				minimum: 0,
				maximum: 31_622_400,
				start: 0,
				option: "--retry-after <seconds>",
			},
		},
	},
	delay: {
		title: "Slow response",
		summary: "Respond late, by the gateway's clock.",
		settings: {
			ms: {
				label: "Delay in milliseconds",
				isDuration: true,
				minimum: 0,
				maximum: YEAR_MS,
				start: 2_000,
				unit: "ms",
			},
		},
	},
	drop: {
		title: "Dropped connection",
		summary: "Break the connection before or after the request is processed.",
		settings: { when: { label: "When", words: ["after", "before"] } },
	},
	corrupt: {
		title: "Corrupt response",
		summary: "Process the request, and respond with an HTML page, truncated JSON or nothing.",
		settings: { as: { label: "Response body", words: ["html", "truncated", "empty"] } },
	},
	repeat: {
		title: "Repeated request",
		summary: "Let the network repeat the request with its nonce, as a browser or a proxy does after a reset.",
		settings: { response: { label: "Response", words: ["copy", "first"] } },
	},
	skew: {
		title: "Clock skew",
		summary: "Set the gateway's clock ahead or behind for signatures, until it is cleared.",
		settings: {
			ms: {
				label: "Seconds ahead, negative for behind",
				isDuration: true,
				minimum: -YEAR_MS,
				maximum: YEAR_MS,
				start: 600_000,
				unit: "s ahead",
				perUnit: 1_000,
			},
		},
		lasts: "on",
	},
};

/** The faults of deliveries. */
export const WEBHOOK_FAULTS: FaultKinds<WebhookFaultChoice> = {
	tamper: { title: "Altered body", summary: "Change the body after it was signed.", settings: {} },
	wrong_signature: { title: "Wrong signature", summary: "Sign with another secret.", settings: {} },
	stale: {
		title: "Old timestamp",
		summary: "Sign with a timestamp of two days ago, as in a replay.",
		settings: {},
	},
	out_of_order: {
		title: "Out of order",
		summary: "Let the next two webhooks of one message change places.",
		settings: {},
	},
	repeat: {
		title: "Duplicate",
		summary: "Deliver the next event that many more times, with the same id.",
		settings: {},
		lasts: "once",
	},
	repeat_attempt: {
		title: "Repeated attempt",
		summary: "Let the network repeat an attempt byte for byte, at once or later.",
		settings: {
			response: { label: "Response", words: ["copy", "first"] },
			delayMs: {
				label: "Delay of the copy in milliseconds, 0 for none",
				isDuration: true,
				minimum: 0,
				maximum: YEAR_MS,
				start: 0,
				unit: "ms later",
				option: "--delay <duration>",
			},
		},
	},
	delay: {
		title: "Late delivery",
		summary: "Deliver late.",
		settings: {
			ms: {
				label: "Delay in milliseconds",
				isDuration: true,
				minimum: 0,
				maximum: YEAR_MS,
				start: 10_000,
				unit: "ms",
			},
		},
	},
};

/** A fault with the values of its settings. */
export function chooseFault<Choice extends { kind: string }>(
	_kinds: FaultKinds<Choice>,
	kind: string,
	values: Readonly<Record<string, unknown>>,
): Choice {
	// A form or a command reads the values that the row asks for, and the gateway checks them.
	return { kind, ...values } as unknown as Choice;
}

const CORRUPTIONS = { html: "an HTML page", truncated: "truncated", empty: "empty" } as const;

/** What an active fault does to the requests that it affects. */
export function describeRequestFault(fault: RequestFaultChoice): string {
	switch (fault.kind) {
		case "respond":
			return `response with status ${fault.status}`;
		case "delay":
			return `delayed by ${describeDuration(fault.ms)}`;
		case "drop":
			return `the connection breaks ${fault.when} it is processed`;
		case "corrupt":
			return `processed, and the response is ${CORRUPTIONS[fault.as]}`;
		case "repeat":
			return describeRepeat(fault);
		case "skew":
			return `the clock is ${describeDuration(Math.abs(fault.ms))} ${fault.ms > 0 ? "ahead" : "behind"}`;
	}
}

/** What an active fault affects, and what it does to it. */
export function describeWebhookFault(
	fault: WebhookFaultChoice,
	times: number,
): readonly [noun: string, effect: string] {
	switch (fault.kind) {
		case "tamper":
			return ["attempt", "the body is changed after signing"];
		case "wrong_signature":
			return ["attempt", "signed with another secret"];
		case "stale":
			return ["attempt", "signed with a timestamp of two days ago"];
		case "out_of_order":
			return ["message", "its first two webhooks change places"];
		case "repeat":
			return ["webhook", `repeated ${times === 1 ? "once" : `${times} times`}`];
		case "repeat_attempt":
			return ["attempt", describeRepeat(fault)];
		case "delay":
			return ["webhook", `${describeDuration(fault.ms)} late`];
	}
}

interface RepeatChoice {
	readonly response: "copy" | "first";
	readonly delayMs?: number | undefined;
}

function describeRepeat({ response, delayMs = 0 }: RepeatChoice): string {
	const when = delayMs > 0 ? ` ${describeDuration(delayMs)} later` : "";
	return `repeated by the network${when}, with the response to the ${response}`;
}
