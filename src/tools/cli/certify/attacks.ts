import { utf8 } from "../../../library/signing/bytes.ts";
import { writeDeliveredJson } from "../../delivered-json.ts";
import type { Outgoing } from "../deliver.ts";
import type { Scene } from "./scene.ts";

/** One delivery, what the receiver should do with it, and why. */
export interface Attack {
	readonly name: string;
	/** What is sent, for people. */
	readonly sent: string;
	readonly expected: "acknowledged" | "rejected";
	/** Whether the specification decides it; otherwise it is only recommended. */
	readonly isRule: boolean;
	/** Whether another response proves the fault. */
	readonly certainty: "certain" | "likely";
	/** The status that it should have: with that of any other wrong signature, it is likely not noticed. */
	readonly status?: number;
	readonly why: string;
	readonly fix: string;
	readonly make: (scene: Scene) => Promise<Outgoing>;
}

type AttackDetails = Pick<Attack, "why" | "fix" | "make"> & Partial<Pick<Attack, "certainty" | "status">>;

function attack(expected: Attack["expected"], isRule: boolean) {
	return (name: string, sent: string, details: AttackDetails): Attack => ({
		certainty: "certain",
		...details,
		name,
		sent,
		expected,
		isRule,
	});
}

const mustAcknowledge = attack("acknowledged", true);
const shouldAcknowledge = attack("acknowledged", false);
const mustReject = attack("rejected", true);
const shouldReject = attack("rejected", false);

const RAW_BYTES = {
	why: "The signature covers the raw bytes (section 6.1), not JSON that is written again.",
	fix: "Verify the bytes as they arrive, before anything parses them.",
};

const VERIFY =
	"Compare all of the signature with the HMAC-SHA-256 of `{timestamp}.{rawBody}`, in constant time.";

const ANYONE = "Anyone who knows the URL can send events.";

const REQUIRE = "Reject a delivery that lacks one of the three headers, with 400.";

const CHECK_TIME = "Reject a timestamp more than 300 s from your clock: the specification shows no limit.";

/** The text of a body with escapes, and the characters that they stand for. */
const TEXT = "Grüße 😀 e\u0301 \u2028 שלום </b>";

/** Bytes, which no profile decodes. */
const OTHER_SECRET = utf8("a-secret-that-nobody-shares");

const TWO_DAYS_SECONDS = 2 * 86_400;

const LONG_BYTES = 256 * 1_024;
const HUGE_BYTES = 4 * 1_024 * 1_024;

function writeEscaped(payload: object): string {
	const toEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
	return JSON.stringify(payload)
		.replaceAll("/", "\\/")
		.replace(/[\u0080-\uffff]/g, toEscape);
}

/** Of no documented kind: a status is recognized by its field `status`, the others by `type`. */
function writeUnknownType({ messageId, timestamp_ms }: Readonly<Record<string, unknown>>): string {
	return writeDeliveredJson({ type: "added_later", messageId, timestamp_ms });
}

async function withSignature(
	scene: Scene,
	change: (signature: string) => string | undefined,
): Promise<Outgoing> {
	const outgoing = await scene.sign();
	const { signature } = scene.names;
	return scene.withHeaders(outgoing, { [signature]: change(outgoing.headers[signature] ?? "") });
}

/** Attacks on a receiver that acknowledges what is right. */
export const ATTACKS: readonly Attack[] = [
	mustAcknowledge("non_ascii", "a text beyond ASCII", {
		why: "A text that is decoded and encoded again may have other bytes than those that are signed.",
		fix: RAW_BYTES.fix,
		make: (scene) => scene.sign({ fields: { text: TEXT } }),
	}),
	mustAcknowledge("whitespace", "a body with spaces and line ends", {
		...RAW_BYTES,
		make: (scene) =>
			scene.sign({
				write: (payload) => ` ${JSON.stringify(payload, null, 2).replaceAll("\n", "\r\n")}\r\n`,
			}),
	}),
	mustAcknowledge("escapes", "a body with escapes such as \\u00fc and \\/", {
		...RAW_BYTES,
		make: (scene) => scene.sign({ fields: { text: TEXT }, write: writeEscaped }),
	}),
	mustAcknowledge("numbers", "a body with numbers such as 1.0, 1E2 and -0", {
		...RAW_BYTES,
		// The shape of an attachment is open.
		certainty: "likely",
		make: (scene) =>
			scene.sign({
				fields: { attachments: [0] },
				write: (payload) =>
					JSON.stringify(payload).replace(
						'"attachments":[0]',
						'"attachments":[{"size":1.0,"ratio":1E2,"offset":-0,"id":12345678901234567890}]',
					),
			}),
	}),
	mustAcknowledge("lower_case_headers", "header names in lower case", {
		why: "Names of headers have no case (RFC 9110, section 5.1).",
		fix: "Look headers up without regard to case.",
		make: async (scene) => {
			const { body, headers } = await scene.sign();
			const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
			return { body, headers: Object.fromEntries(entries) };
		},
	}),
	mustAcknowledge("slow_body", "a body in two parts, 1 s apart", {
		why: "The network may split a body anywhere.",
		fix: "Read the body to its end before you verify it.",
		make: async (scene) => ({ ...(await scene.sign()), pauseMs: 1_000 }),
	}),
	shouldAcknowledge("long_text", "a body of 256 KiB", {
		why: "The specification shows no limit; a parser often has one of 100 kB.",
		fix: "Accept bodies of up to 1 MiB.",
		make: (scene) => scene.sign({ fields: { text: "x".repeat(LONG_BYTES) } }),
	}),
	shouldAcknowledge("two_signatures", "a wrong signature and the right one", {
		why: "A gateway that changes its secret may sign with both, separated by a comma.",
		fix: "Split the header at commas, and accept the delivery if one value matches.",
		make: async (scene) => {
			const outgoing = await scene.sign();
			const { signature } = scene.names;
			const both = `v1=${"0".repeat(64)}, ${outgoing.headers[signature]}`;
			return scene.withHeaders(outgoing, { [signature]: both });
		},
	}),
	shouldAcknowledge("unknown_field", "a field that isn't documented", {
		why: "A gateway may add fields.",
		fix: "Ignore the fields that you don't know.",
		make: (scene) => scene.sign({ fields: { addedLater: { list: [1, null] } } }),
	}),
	shouldAcknowledge("unknown_type", "a type that isn't documented", {
		why: "A gateway may add events, and deliver a rejected one again and again.",
		fix: "Acknowledge it, and store or report it.",
		make: (scene) => scene.sign({ write: writeUnknownType }),
	}),

	mustReject("wrong_secret", "a signature with another secret", {
		why: ANYONE,
		fix: VERIFY,
		make: (scene) => scene.sign({ secret: OTHER_SECRET }),
	}),
	mustReject("changed_body", "a body with one digit changed after signing", {
		why: "It isn't what the gateway sent.",
		fix: VERIFY,
		make: async (scene) => {
			const { headers, body } = await scene.sign();
			return { headers, body: body.replace(/\d/, (digit) => (digit === "9" ? "8" : "9")) };
		},
	}),
	mustReject("moved_timestamp", "another timestamp than the signed one", {
		why: "An old delivery passes for a new one.",
		fix: VERIFY,
		make: async (scene) => {
			const { timestamp } = scene.names;
			const { headers } = await scene.sign();
			return scene.withHeaders(await scene.sign({ aheadSeconds: -1 }), { [timestamp]: headers[timestamp] });
		},
	}),
	mustReject("short_signature", "the first 8 digits of the right signature", {
		why: "A signature that is compared only in part can be guessed.",
		fix: VERIFY,
		make: (scene) => withSignature(scene, (signature) => signature.slice(0, "v1=".length + 8)),
	}),
	mustReject("empty_signature", "an empty signature header", {
		why: ANYONE,
		fix: REQUIRE,
		make: (scene) => withSignature(scene, () => ""),
	}),
	mustReject("no_signature", "no signature header", {
		why: ANYONE,
		fix: REQUIRE,
		make: (scene) => withSignature(scene, () => undefined),
	}),
	mustReject("no_timestamp", "no timestamp header", {
		why: "The signature covers the timestamp.",
		fix: REQUIRE,
		make: async (scene) => scene.withHeaders(await scene.sign(), { [scene.names.timestamp]: undefined }),
	}),
	shouldReject("no_event_id", "no event id header", {
		why: "Without the id nothing recognizes a repeat.",
		fix: REQUIRE,
		make: async (scene) => scene.withHeaders(await scene.sign(), { [scene.names.eventId]: undefined }),
	}),
	shouldReject("old_timestamp", "a delivery signed two days ago", {
		why: "Whoever captured a delivery can send it again at any time.",
		fix: CHECK_TIME,
		make: (scene) => scene.sign({ aheadSeconds: -TWO_DAYS_SECONDS }),
	}),
	shouldReject("future_timestamp", "a delivery signed in two days", {
		why: "A captured one stays valid until then.",
		fix: CHECK_TIME,
		make: (scene) => scene.sign({ aheadSeconds: TWO_DAYS_SECONDS }),
	}),
	mustReject("empty_body", "an empty body with a wrong signature", {
		why: "Some receivers verify only what has a body.",
		fix: VERIFY,
		make: async (scene) => ({ ...(await scene.sign()), body: "" }),
	}),
	mustReject("other_method", "a PUT with a wrong signature", {
		certainty: "likely",
		why: "Other methods may reach the same code.",
		fix: "Verify every method, or respond 405 to all but POST.",
		make: async (scene) => ({ ...(await scene.sign({ secret: OTHER_SECRET })), method: "PUT" }),
	}),
	mustReject("huge_body", "a body of 4 MiB with a wrong signature", {
		why: "A stranger's large bodies fill its memory.",
		fix: "Stop reading at a limit such as 1 MiB, and respond 413.",
		status: 413,
		make: (scene) => scene.sign({ fields: { text: "x".repeat(HUGE_BYTES) }, secret: OTHER_SECRET }),
	}),
];
