import { compareShapes } from "../doctor/compare-shapes.ts";
import { describeDiagnosis } from "../doctor/describe-diagnosis.ts";
import { examine } from "../doctor/examine.ts";
import { EXIT, usageError } from "../failure.ts";
import { GATEWAY_FLAGS, readAccess } from "../gateway-options.ts";
import { declareVerb } from "../verb.ts";

/** Finds out why calls fail, or how responses differ. */
export const addDoctorVerb = declareVerb({
	usage: "doctor",
	summary: "Find out why calls fail; with --shapes, how responses differ.",
	flags: {
		...GATEWAY_FLAGS,
		"--probe-body": "also find out how bodies are signed, by posting unknown fields; always on this machine",
		"--probe-number <contact>": "the contact whose mapping is requested",
		"--webhook-secret-file <file>": "a file with the webhook secret, to see that it is not the App Secret",
		"--shapes": "compare the responses with the shapes that are assumed",
		"--to <contact>":
			"with --shapes: also send real messages to this contact: one of each kind, and one text twice",
		"--yes": "with --to: send without asking",
		"--only <operations...>": "with --shapes: only these, such as messages.sendText",
		"--record <file>": "with --shapes: write the responses without their values to a file, for an issue",
	},
	examples: [
		"messaging-gateway doctor",
		"messaging-gateway doctor --probe-body --json",
		"messaging-gateway doctor --shapes",
		"messaging-gateway doctor --shapes --to +15551234567 --record responses.json",
	],
	notes: `It only reads, unless --probe-body or --to is given. The exit code is 0 if all is well, 1 if something is wrong, and 3 if nothing is, but not everything is proven: bodies need --probe-body.`,
	async run(terminal, { shapes, to, yes, only, record, ...options }) {
		if (shapes) return compareShapes(terminal, { ...options, to, yes, only, record });
		if ([to, yes, only, record].some((value) => value !== undefined))
			throw usageError("--to, --yes, --only and --record need --shapes");
		const { probeBody, probeNumber, webhookSecretFile } = options;
		const diagnosis = await examine(await readAccess(options), { probeBody, probeNumber, webhookSecretFile });
		terminal.show(diagnosis, () => describeDiagnosis(terminal, diagnosis));
		if (diagnosis.isHealthy === null) return EXIT.untested;
		return diagnosis.isHealthy ? EXIT.done : EXIT.failed;
	},
});
