import type { CapturedFailure, CapturedRejection } from "../../../library/webhooks/capture/capture.ts";
import { parseJson } from "../../control/parse-json.ts";
import type { WebhookKind } from "../../local-gateway/delivery.ts";
import { KEY_FLAG, readCaptureFile } from "../capture-file.ts";
import { EXIT } from "../failure.ts";
import { assertHttpUrl } from "../gateway-options.ts";
import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import { lineOf } from "../local/items.ts";
import { afterAttempt } from "../local/wait-for.ts";
import { printable } from "../printable.ts";
import { readInputFile } from "../read-input.ts";
import { declareVerb } from "../verb.ts";

/** Delivers a failure of production here. */
export const addReplayVerb = declareVerb({
	usage: "replay <file>",
	summary: "Deliver a failure that `captureFailures` kept to your application here.",
	flags: {
		"--to <url>": "your application's webhook URL, which is registered first (default: the registered ones)",
		...KEY_FLAG,
		...CONTROL_FLAGS,
	},
	examples: [
		"npx messaging-gateway replay failed.capture",
		"npx messaging-gateway replay failed.capture --to http://localhost:3000/hook",
	],
	notes: `The local gateway signs the event with its own secret, so what is repeated is the result of the handler, not that of the signature. It is in the log, and its page copies it as a test. A receiver that has acknowledged the event takes another replay for a repeat, and runs no handler. \`-\` reads the file from standard input. Of a rejected delivery the record is shown: \`verify webhook FILE --explain\` finds out why it was rejected.`,
	async run(terminal, { to, keyFile, ...options }, file) {
		if (to !== undefined) assertHttpUrl("--to", to);
		const capture = await readCaptureFile(await readInputFile(file), keyFile);
		if (capture.type === "rejection") {
			terminal.show(capture, () => describeRejection(capture).map(printable).join("\n"));
			return EXIT.failed;
		}
		const { eventId } = capture;
		const body = decoder.decode(capture.body);
		const kind = kindOf(capture, body);
		const local = await connectTo(options);
		if (to !== undefined) await local.setDestinations({ inboundWebhookUrl: to, statusWebhookUrl: to });
		terminal.say(printable(describeFailure(capture)));
		const delivery = await afterAttempt(local, eventId, () =>
			local.act({ type: "deliver", eventId, kind, body }),
		);
		terminal.show(delivery, () => lineOf(terminal, delivery));
		if (delivery.state !== "delivered") return EXIT.failed;
		if (delivery.attempts.slice(0, -1).some(({ status = 0 }) => status >= 200 && status < 300))
			terminal.say(REPEATED);
		return EXIT.done;
	},
});

/** A byte order mark is one of the bytes. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const REPEATED =
	"An earlier attempt was acknowledged: a receiver that remembers the event ran no handler. To run it again, restart your application with `memoryStore()`, or delete the event from its store.";

/** An event of an unknown kind goes where the gateway would send it: a status has no `type` (specification, section 6.4). */
function kindOf({ kind }: CapturedFailure, body: string): WebhookKind {
	if (kind !== "unknown") return kind;
	const payload = Object(parseJson(body));
	return !Object.hasOwn(payload, "type") && typeof payload.status === "string" ? "status" : "inbound_message";
}

function describeFailure({ ending, error, tenant, source }: CapturedFailure): string {
	const facts = [
		ending,
		// Code can set any name: one that does not look like a class may hold anything.
		/^[A-Za-z]{1,64}$/.test(error?.name ?? "") && error?.name,
		tenant !== undefined && `tenant ${tenant}`,
		source === "worker" && "in a worker, so its body is written again from the event",
	];
	return `in production: ${facts.filter(Boolean).join(", ")}`;
}

function describeRejection({ status, code, claimedBytes, headers }: CapturedRejection): string[] {
	return [
		`rejected with ${status} ${code}${claimedBytes === undefined ? "" : `, of ${claimedBytes} bytes by its Content-Length`}`,
		...Object.entries(headers).map(([name, form]) => `  ${name}: ${form}`),
	];
}
