import { globSync, readFileSync } from "node:fs";
import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createLocalGateway } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { inOurWords, WORDS } from "../../../../src/tools/cli/words.ts";

const LIBRARY_WORDS =
	/\b(baseUrl|appSecret|gatewayMessage|readBody|probeBody|profileSource|stringToSign|explainWebhookFailure|\w*imeoutMs)\b/;

test.each([
	[
		"POST /a got 401 (request 1). error.gatewayMessage has the gateway's reason",
		"POST /a got 401 (request 1)",
	],
	[
		"/a took longer than attemptTimeoutMs, 700 ms. Raise attemptTimeoutMs, or check the network.",
		"/a took longer than 700 ms. Check the network.",
	],
	["Set baseUrl to http://localhost:1.", "Set --base-url to http://localhost:1."],
	["from must be an E.164 number", "--from must be an E.164 number"],
	["agents.get: to must be a string", "agents.get: to must be a string"],
	["The profile is wrong.", "The profile is wrong."],
])("%s", (sentence, ours) => expect(inOurWords(sentence)).toBe(ours));

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
