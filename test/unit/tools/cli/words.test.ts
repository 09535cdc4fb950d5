import { globSync, readFileSync } from "node:fs";
import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { inOurWords, WORDS } from "../../../../src/tools/cli/words.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

const LIBRARY_WORDS =
	/\b(baseUrl|appSecret|gatewayMessage|readBody|probeBody|profileSource|stringToSign|explainWebhookFailure|\w*imeoutMs)\b/;

/** Sentences of the command by what the library, the doctor and the local gateway write. */
const SENTENCES: Outcomes<string> = {
	"POST /a got 401 (request 1)": {
		"no gatewayMessage": "POST /a got 401 (request 1). error.gatewayMessage has the gateway's reason",
		"no gatewayMessage with what to do about it":
			"POST /a got 401 (request 1). error.gatewayMessage has the gateway's reason: fix that, or ask the gateway's operator",
		"no readBody": "POST /a got 401 (request 1). error.readBody() returns the raw body",
	},
	"Its code is BAD.": {
		"no gatewayMessage of a finding":
			"Its code is BAD. Its message is gatewayMessage of the error of any signed call.",
	},
	"Allowed again in 5 s.": { "no retryAfterMs": "Allowed again in 5 s (retryAfterMs)." },
	"/a took longer than 700 ms. Check the network.": {
		"no attemptTimeoutMs":
			"/a took longer than attemptTimeoutMs, 700 ms. Raise attemptTimeoutMs, or check the network.",
		"no timeoutMs": "/a took longer than timeoutMs, 700 ms. Raise timeoutMs, or check the network.",
	},
	"/a got no response within 700 ms.": {
		"no timeoutMs of a finding": "/a got no response within timeoutMs, 700 ms.",
	},
	"The time, 30000 ms, ended during GET /a; the later steps weren't tried.": {
		"no timeoutMs that ended": "timeoutMs, 30000 ms, ended during GET /a; the later steps weren't tried.",
	},
	"Try again: the gateway may only be slow at present.": {
		"no function of an option":
			"Raise timeoutMs, or check whether the signer or the appSecret function is slow.",
	},
	"Check that it is up.": {
		"no timeoutMs to raise": "Check that it is up; if it is only slow, raise timeoutMs.",
		"no attemptTimeoutMs to raise": "Check that it is up; if it is only slow, raise attemptTimeoutMs.",
	},
	"/a got 200 with a body larger than any that the gateway has.": {
		"no maxResponseBytes": "/a got 200 with a body larger than maxResponseBytes.",
	},
	"That requires a 401, https or a gateway on this machine.": {
		"no correctClockSkew": "That requires a 401, correctClockSkew, https or a gateway on this machine.",
	},
	"Bodies are unproven. --probe-body posts keys that no gateway knows.": {
		"the flag for probeBody":
			"Bodies are unproven. Set probeBody (the command: --probe-body) to post keys that no gateway knows.",
	},
	"Webhooks: only a delivery shows it; `npx messaging-gateway verify webhook FILE --explain` checks one.": {
		"the verb for explainWebhookFailure": "Webhooks: only a delivery shows it; see explainWebhookFailure.",
	},
	"Save the profile below, and give it with --profile, and for the local gateway in your tests.": {
		"the flag for profileSource":
			"Use the profile of profileSource for the client, and for the local gateway in your tests.",
	},
	"Compare it with that of `npx messaging-gateway sign request`.": {
		"the verb for stringToSign": "Compare it with stringToSign of signRequest.",
	},
	"Start one with `npx messaging-gateway dev`, or check the port.": {
		"the verb that starts a gateway": "Start the gateway, or check the port.",
	},
	"It is blocked. For `messaging-gateway dev`, DUPLICATE_SAME_NUMBER_WINDOW_SECONDS changes it; 0 turns it off.":
		{
			"the variable for a rule of the local gateway":
				"It is blocked. The option rules.duplicateMs changes it; 0 turns it off. For `messaging-gateway dev`, DUPLICATE_SAME_NUMBER_WINDOW_SECONDS does the same.",
		},
	"It is blocked.": {
		"no rule without a variable": "It is blocked. The option rules.accountMs changes it; 0 turns it off.",
	},
	"`call mappings.update` changes it.": {
		"the verb for the limit of a mapping":
			"the option rules.maxConsecutiveMessages and mappings.update change it.",
	},
	"--from must be an E.164 number": { "the flag for from": "from must be an E.164 number" },
	"--to must be an E.164 number": { "the flag for to": "to must be an E.164 number" },
	"--limit must be an integer from 1 to 500.": {
		"the flag for limit": "limit must be an integer from 1 to 500.",
	},
	"--text must not be empty": { "the flag for text": "text must not be empty" },
	"--group must be a string": { "the flag for groupId": "groupId must be a string" },
	"--message-guid must be a string": { "the flag for messageGuid": "messageGuid must be a string" },
	"agents.get: to must be a string": {
		"the field of a call, which no flag gives": "agents.get: to must be a string",
	},
	"--base-url is missing. Set MESSAGING_GATEWAY_BASE_URL": {
		"a variable rather than an option":
			"baseUrl is missing. Pass it to the client, or set MESSAGING_GATEWAY_BASE_URL",
	},
	"They are missing. Set them": {
		"variables rather than options": "They are missing. Pass them to the client, or set them",
	},
	"Set --base-url to http://localhost:1, --app-id and the App Secret.": {
		"the names of what a client needs": "Set baseUrl to http://localhost:1, appId and appSecret.",
	},
	"--forward-to must be an http URL": {
		"the flag for deliverTo": "deliverTo must be an http URL, or a function",
	},
	"--probe-number must be an E.164 number": {
		"the flag for probeNumber": "probeNumber must be an E.164 number",
	},
	"The profile is wrong.": { "a sentence without such words": "The profile is wrong." },
};

describe("the command has", () => testOutcomes(SENTENCES, inOurWords));

test("a diagnosis has no words of the library", async () => {
	await using local = createLocalGateway({ profile: { signing: { query: "included" } } });
	const { clientOptions } = local;
	for (const options of [
		clientOptions,
		{ ...clientOptions, appSecret: "other" },
		{ ...clientOptions, baseUrl: `${local.baseUrl}/v2` },
	]) {
		const { findings, untested } = await diagnose(new MessagingGateway({ ...options, logLevel: "off" }));
		const sentences = [...findings.flatMap(({ message, fix }) => [message, fix]), ...untested].map(
			inOurWords,
		);
		expect(sentences).not.toEqual([]);
		for (const sentence of sentences) expect(sentence).not.toMatch(LIBRARY_WORDS);
	}
});

/** What the library, the doctor and the local gateway write, with what differs left out. */
const SOURCES = globSync(["src/library/**/*.ts", "src/tools/{doctor,local-gateway}/**/*.ts"])
	.map((path) => readFileSync(path, "utf8"))
	.join("\n");

test.each(WORDS.map(([pattern]) => pattern.source))("%s stands for words that are written", (source) => {
	const pieces = source.replace(/\\([.()])/g, "$1").split(/\\[a-zA-Z]|[[\]()|^$+*?]|\.\*/);
	const [longest = ""] = pieces.toSorted((left, right) => right.length - left.length);
	// A sentence is put together of several literals, so a run of its words is enough.
	const words = longest.trim().split(" ");
	const runs = words
		.map((_, at) => words.slice(at, at + 4))
		.filter(({ length }, at) => length === 4 || at === 0);
	const found = runs.filter(
		(run) => SOURCES.includes(run.join(" ")) || (run.length < 4 && SOURCES.includes(run[0] ?? "")),
	);
	expect(found).not.toEqual([]);
});
