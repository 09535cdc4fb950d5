import { readHints } from "../../adopt/plan/read-hints.ts";
import { adoptGateway, assertWritable, writeProfileFile } from "../adopt/adopt-gateway.ts";
import { describeAdoption } from "../adopt/describe-adoption.ts";
import { EXIT, usageError } from "../failure.ts";
import { GATEWAY_FLAGS, parseGivenJson, readAccess } from "../gateway-options.ts";
import { readTextInput } from "../read-input.ts";
import { declareVerb } from "../verb.ts";

const { "--profile <file>": _, ...FLAGS } = GATEWAY_FLAGS;

/** Writes a profile from a gateway's own document. */
export const addAdoptVerb = declareVerb({
	usage: "adopt",
	summary: "Write a profile from what a gateway and its document show.",
	flags: {
		...FLAGS,
		"--openapi <file>": "the document: OpenAPI 2, 3.0 or 3.1 in JSON or YAML (default: the gateway's own)",
		"--set <answer...>": 'what the document leaves open, such as messages.sendText="POST /send"',
		"--map <file>": "a JSON file with parts of the profile by operation, which are used as they are",
		"--probe-body": "also find out how bodies are signed, by posting unknown fields",
		"--probe-number <contact>": "the contact whose mapping is requested",
		"--out <file>": { meaning: "the profile to write", preset: "profile.json" },
		"--force": "replace an existing profile",
	},
	examples: [
		"messaging-gateway adopt --force",
		"messaging-gateway adopt --openapi openapi.json --out other-profile.json",
		"messaging-gateway adopt --force --set messages.markRead.number=to",
	],
	notes: `It only reads, unless --probe-body is given, and sends no message. It looks for the document at /docs and where others have it, on the gateway's host alone.

CERTAIN was seen to work, LIKELY stands in the document, and each OPEN line has the flag that answers it. The exit code is 1 if no signed call was accepted: nothing is written then.`,
	async run(
		terminal,
		{ set = [], map, openapi, out, force = false, probeBody = false, probeNumber, ...options },
	) {
		assertWritable(out, force);
		const maps = map === undefined ? undefined : parseGivenJson(await readTextInput(map), map);
		const hints = readHints(set, maps, (problem) => usageError(`--set or --map: ${problem}`));
		const access = await readAccess(options);
		const adoption = await adoptGateway(access, { hints, openapi, probeBody, probeNumber });
		const { diagnosis, signing, document, operations, left, unused, requests } = adoption;
		const isUsable = diagnosis.signing !== undefined || diagnosis.isHealthy !== false;
		if (isUsable) writeProfileFile(out, adoption.profile, force);
		const written = isUsable ? out : undefined;
		const result = {
			signing: { certainty: signing, choices: diagnosis.signing, findings: diagnosis.findings },
			document,
			operations: operations.map(({ profile: _profile, ...operation }) => operation),
			left,
			unused,
			requests,
			written,
		};
		terminal.show(result, () => describeAdoption(terminal, adoption, written));
		return isUsable ? EXIT.done : EXIT.failed;
	},
});
