import { describeDiagnosis } from "../doctor/describe-diagnosis.ts";
import { examine } from "../doctor/examine.ts";
import { EXIT } from "../failure.ts";
import { GATEWAY_FLAGS, readAccess } from "../gateway-options.ts";
import { declareVerb } from "../verb.ts";

/** Finds out why calls fail. */
export const addDoctorVerb = declareVerb({
	usage: "doctor",
	summary: "Find out why calls fail.",
	flags: {
		...GATEWAY_FLAGS,
		"--probe-body": "also find out how bodies are signed, by posting unknown fields; always on this machine",
		"--probe-number <contact>": "the contact whose mapping is requested",
		"--webhook-secret-file <file>": "a file with the webhook secret, to see that it isn't the App Secret",
	},
	examples: ["npx messaging-gateway doctor", "npx messaging-gateway doctor --probe-body --json"],
	notes: `It only reads, unless --probe-body is given. The exit code is 0 if all is well, 1 if something is wrong, and 3 if nothing is, but not everything is proven: bodies need --probe-body. \`npx messaging-gateway adopt\` finds out which operations work.`,
	async run(terminal, { probeBody, probeNumber, webhookSecretFile, ...options }) {
		const diagnosis = await examine(await readAccess(options), { probeBody, probeNumber, webhookSecretFile });
		terminal.show(diagnosis, () => describeDiagnosis(terminal, diagnosis));
		if (diagnosis.isHealthy === null) return EXIT.untested;
		return diagnosis.isHealthy ? EXIT.done : EXIT.failed;
	},
});
