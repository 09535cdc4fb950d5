import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createLocalGateway } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { inOurWords } from "../../../../src/tools/cli/words.ts";

const LIBRARY_WORDS =
	/\b(baseUrl|appSecret|gatewayMessage|readBody|probeBody|profileSource|stringToSign|explainWebhookFailure|\w*imeoutMs)\b/;

test.each([
	["POST /a got 401 (request 1). gatewayMessage has the gateway's message", "POST /a got 401 (request 1)"],
	["/a took longer than attemptTimeoutMs, 700 ms.", "/a took longer than 700 ms."],
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
