import process from "node:process";
import { createInterface } from "node:readline/promises";
import { describeHandleProblem } from "../../../library/catalogue/handle.ts";
import { readEventHints } from "../../adopt/events/read-event-hints.ts";
import { readHints } from "../../adopt/plan/read-hints.ts";
import type { PlannedSend } from "../../adopt/proof/send.ts";
import { type Adoption, adoptGateway } from "../adopt/adopt-gateway.ts";
import { checkProfile } from "../adopt/check-profile.ts";
import { describeAdoption, describeSends } from "../adopt/describe-adoption.ts";
import { assertWritable, writeProfileFiles } from "../adopt/profile-files.ts";
import { readDeliveries } from "../adopt/read-deliveries.ts";
import { EXIT, usageError } from "../failure.ts";
import { GATEWAY_FLAGS, parseGivenJson, readAccess } from "../gateway-options.ts";
import { readTextInput } from "../read-input.ts";
import type { Terminal } from "../terminal.ts";
import { declareVerb } from "../verb.ts";
import { PACKAGE_VERSION } from "../version.ts";

const { "--profile <file>": _, ...FLAGS } = GATEWAY_FLAGS;

/** Writes a profile from a gateway's own document and responses. */
export const addAdoptVerb = declareVerb({
	usage: "adopt",
	summary: "Write a profile from what a gateway and its document show.",
	flags: {
		...FLAGS,
		"--openapi <file>": "the document: OpenAPI 2, 3.0 or 3.1 in JSON or YAML (default: the gateway's own)",
		"--set <answer...>": 'what the document leaves open, such as messages.sendText="POST /send"',
		"--map <file>": "a JSON file with parts of the profile by operation, which are used as they are",
		"--event <file...>": "a saved delivery, as raw JSON or with its headers, to check the events with",
		"--probe-body": "also find out how bodies are signed, by posting unknown fields",
		"--probe-number <contact>": "a contact to ask for",
		"--to <contact>":
			"also send this contact one message of each kind, and find out how bodies are signed, after you agree",
		"--yes": "with --to: send without asking",
		"--check <profile>": "compare the gateway with a profile instead: it only reads",
		"--out <file>": { meaning: "the profile to write", preset: "profile.json" },
		"--force": "replace an existing profile",
	},
	examples: [
		"npx messaging-gateway adopt --force",
		"npx messaging-gateway adopt --openapi openapi.json --out other-profile.json",
		"npx messaging-gateway adopt --force --set messages.markRead.number=to",
		"npx messaging-gateway adopt --force --to +15551234567 --yes",
		"npx messaging-gateway adopt --check profile.json",
	],
	notes: `It only reads, unless --probe-body or --to is given. It looks for the document at /docs and where others have it, on the gateway's host alone.

CERTAIN was seen to work, LIKELY stands in the document, and each OPEN line has the flag that answers it. The exit code is 1 if no signed call was accepted: nothing is written then. With --check it is 1 if something differs, and 3 if something couldn't be seen.`,
	async run(terminal, flags) {
		const {
			set = [],
			map,
			event = [],
			openapi,
			out,
			force = false,
			probeBody = false,
			probeNumber,
			to,
			yes = false,
		} = flags;
		if (flags.check !== undefined) return checkProfile(terminal, flags.check, flags);
		assertHandle("--to", to);
		assertHandle("--probe-number", probeNumber);
		if (to !== undefined && !yes && !canAsk(terminal))
			throw usageError("--to sends real messages, which needs a confirmation", "Confirm with --yes.");
		assertWritable(out, force);
		const maps = map === undefined ? undefined : parseGivenJson(await readTextInput(map), map);
		const reject = (problem: string) => usageError(`--set or --map: ${problem}`);
		const { events: eventHints, ...others } = readEventHints(set, maps, reject);
		const hints = readHints(others.settings, others.maps, reject);
		const saved = await readDeliveries(event);
		const access = await readAccess(flags);
		const adoption = await adoptGateway(access, {
			hints,
			eventHints,
			saved,
			openapi,
			probeBody,
			probeNumber,
			to,
			confirm: async (sends) => yes || ask(sends, to ?? ""),
			onStep: (what) => {
				if (process.stderr.isTTY) process.stderr.write(`${what} …\n`);
			},
		});
		const { diagnosis } = adoption;
		const isUsable = diagnosis.signing !== undefined || diagnosis.isHealthy !== false;
		if (isUsable) writeProfileFiles(out, adoption.profile, proofsOf(adoption), force);
		const written = isUsable ? out : undefined;
		terminal.show({ ...resultOf(adoption), written }, () => describeAdoption(terminal, adoption, written));
		return isUsable ? EXIT.done : EXIT.failed;
	},
});

function assertHandle(flag: string, value: string | undefined): void {
	const problem = value === undefined ? undefined : describeHandleProblem(value, undefined);
	if (problem !== undefined) throw usageError(`${flag} ${problem}`);
}

function canAsk({ isJson }: Terminal): boolean {
	return !isJson && process.stdin.isTTY;
}

/** Whether the user agrees that real messages go out. */
async function ask(sends: readonly PlannedSend[], to: string): Promise<boolean> {
	process.stderr.write(`${describeSends(sends, to)}\n`);
	const prompt = createInterface({ input: process.stdin, output: process.stderr });
	try {
		const answer = await prompt.question("Send them? Type yes, or anything else to send nothing: ");
		return answer.trim().toLowerCase() === "yes";
	} finally {
		prompt.close();
	}
}

function resultOf(adoption: Adoption) {
	const { signing, diagnosis, nonce, document, operations, events, deliveries, sent } = adoption;
	const { left, unused, requests } = adoption;
	return {
		signing: { certainty: signing, choices: diagnosis.signing, findings: diagnosis.findings },
		nonce: nonce?.sentence,
		document,
		operations: operations.map(({ profile: _profile, paging: _paging, ...operation }) => operation),
		events: events.map(({ map: _map, ...event }) => event),
		deliveries,
		sent: sent?.sentences,
		left,
		unused,
		requests,
	};
}

/** What stands beside the profile: how sure it is of what, and since when. */
function proofsOf(adoption: Adoption) {
	const { signing, nonce, document, operations } = adoption;
	return {
		writtenAt: new Date().toISOString(),
		version: PACKAGE_VERSION,
		signing,
		nonce: nonce?.sentence,
		document,
		operations: Object.fromEntries(
			operations.map(({ id, certainty, source, method, path, proof }) => [
				id,
				{ certainty, source, ...(method && { route: `${method} ${path}` }), ...(proof && { proof }) },
			]),
		),
	};
}
