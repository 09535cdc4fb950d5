import { readCapture } from "../../../library/webhooks/capture/capture.ts";
import { EXIT, usageError } from "../failure.ts";
import { assertHttpUrl, readSecret } from "../gateway-options.ts";
import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import { lineOf } from "../local/items.ts";
import { afterAttempt } from "../local/wait-for.ts";
import { printable } from "../printable.ts";
import { readInput } from "../read-input.ts";
import { declareVerb } from "../verb.ts";

const KEY_VARIABLE = "MESSAGING_GATEWAY_CAPTURE_KEY";

/** Delivers a failure of production here. */
export const addReplayVerb = declareVerb({
	usage: "replay <file>",
	summary: "Deliver a failure that `captureFailures` kept to your application here.",
	flags: {
		"--to <url>": "your application's webhook URL, which is registered first (default: the registered ones)",
		"--key-file <file>": `a file with the key of the application that wrote it (${KEY_VARIABLE})`,
		...CONTROL_FLAGS,
	},
	examples: [
		"messaging-gateway replay failed.capture",
		"messaging-gateway replay failed.capture --to http://localhost:3000/webhooks",
	],
	notes: `The local gateway signs the event with its own secret, so what is repeated is the result of the handler, not that of the signature. It is in the log, and its page copies it as a test. A receiver that has processed the event takes another replay for a repeat. Of a rejected delivery, which has no body, the record is shown.`,
	async run(terminal, { to, keyFile, ...options }, file) {
		if (to !== undefined) assertHttpUrl("--to", to);
		const key = await readSecret(KEY_VARIABLE, keyFile);
		if (key === undefined) throw usageError("the key is missing", `Set ${KEY_VARIABLE}, or give --key-file.`);
		const capture = await readCapture(await readInput(file), key);
		if (capture.type === "rejection") {
			const { code, status, headers } = capture;
			terminal.show(capture, () =>
				[
					`rejected with ${status} ${code}`,
					...Object.entries(headers).map(([name, form]) => `  ${name}: ${form}`),
				]
					.map(printable)
					.join("\n"),
			);
			return EXIT.failed;
		}
		const { eventId, kind, ending, error } = capture;
		const local = await connectTo(options);
		if (to !== undefined) await local.setDestinations({ inboundWebhookUrl: to, statusWebhookUrl: to });
		terminal.say(printable(`in production: ${[ending, error?.name].filter(Boolean).join(", ")}`));
		const body = new TextDecoder().decode(capture.body);
		const delivery = await afterAttempt(local, eventId, () =>
			local.act({ type: "deliver", eventId, kind: kind === "unknown" ? "inbound_message" : kind, body }),
		);
		terminal.show(delivery, () => lineOf(terminal, delivery));
		return delivery.state === "delivered" ? EXIT.done : EXIT.failed;
	},
});
