import fc from "fast-check";
import { defineProfile, MessagingGateway } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { OPERATIONS, type OperationId } from "../../../../../src/library/catalogue/index.ts";
import type { Operation } from "../../../../../src/library/catalogue/operation.ts";
import { prepare } from "../../../../../src/tools/console/api/call/prepare.ts";
import { writeCurlCode } from "../../../../../src/tools/console/api/code/curl-code.ts";
import { findSdkCall, writeSdkCode } from "../../../../../src/tools/console/api/code/sdk-code.ts";
import {
	findApiOperation,
	readDocument,
} from "../../../../../src/tools/console/api/document/read-document.ts";
import { highlight } from "../../../../../src/tools/console/parts/highlight.ts";
import { createOpenApiDocument } from "../../../../../src/tools/openapi/create-openapi-document.ts";
import { apiOperation, operationIds, sampleContent } from "../../../../support/api-console.ts";

const connection = { baseUrl: "http://localhost:8080", appId: "local-app" };

/** Every sample, and a second one for operations with several methods. */
const samples = [
	...operationIds.map((id) => [id, sampleContent(id), ""] as const),
	...(
		[
			["messages.tapback", { messageGuid: "g", action: "remove", reaction: "love" }, ", the other one"],
			["messages.typing", { to: "+15551234567", state: "stop" }, ", the other one"],
			[
				"messages.sendText",
				{ to: "+15551234567", text: "x", statusCallback: "https://a.example" },
				" with a callback",
			],
			["agents.block", { agentNumber: "+15557654321", reason: "why" }, " with a reason"],
			["analytics.listMessages", { toNumber: "+15551234567", limit: 5 }, " with a limit"],
		] as const
	).map(([id, input, title]) => [id, sampleContent(id, input), title] as const),
];

describe("the SDK's method", () => {
	test.each(samples)("%s%3$s makes the request of the form", async (id, content) => {
		const operation = apiOperation(id);
		const sent: { method: unknown; url: string; body: unknown }[] = [];
		const gateway = new MessagingGateway({
			...connection,
			appSecret: "secret-1",
			maxRetries: 0,
			fetch: async (url, { method, body }) => {
				sent.push({ method, url, body });
				throw new TypeError("far enough");
			},
		});
		await runProgram(writeSdkCode(operation, content, connection), gateway);
		const { method, url, body } = prepared(id, content);
		expect(sent).toEqual([{ method, url, body }]);
		expect(findSdkCall(operation, content)).toBeDefined();
	});

	test.each([
		["messages.sendText", { body: { to: "1", text: "x" } }],
		["messages.sendText", { body: [1] }],
		["messages.sendText", { body: { to: "+15551234567", text: "x", nobody: 1 } }],
		["settings.setWebhooks", { body: {} }],
		["messages.tapback", { body: { messageGuid: "g", action: "toggle", reaction: "love" } }],
		["mappings.get", { params: { toNumber: "1" } }],
	])("%s has no method for %j, and uses request()", async (id, changes) => {
		const content = { ...{ params: {}, query: {}, body: undefined }, ...changes };
		expect(findSdkCall(apiOperation(id), content)).toBeUndefined();
		expect(writeSdkCode(apiOperation(id), content, connection)).toContain("gateway.request(");
	});

	test("does not exist for an operation of another document, or one that a profile changed", () => {
		const content = sampleContent("queue.getStatus");
		const { sdkMethods: _, ...unknown } = apiOperation("queue.getStatus");
		expect(findSdkCall(unknown, content)).toBeUndefined();
		const profile = defineProfile({ operations: { "queue.getStatus": { path: "/queue" } } });
		const changed = findApiOperation(readDocument(createOpenApiDocument({ profile })), "queue.getStatus");
		expect(changed?.path).toBe("/queue");
		expect(changed && findSdkCall(changed, content)).toBeUndefined();
	});

	test("has a name in camel case for every field", () => {
		const operations: readonly Operation<unknown, unknown>[] = OPERATIONS;
		for (const [own, wire] of operations.flatMap(({ wireNames }) => Object.entries(wireNames))) {
			expect(wire.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())).toBe(own);
		}
	});
});

describe("the code", () => {
	test("never contains the secret", () => {
		const content = sampleContent("messages.sendText");
		const operation = apiOperation("messages.sendText");
		const withSecret = { ...connection, appSecret: "secret-that-stays" };
		const code =
			writeSdkCode(operation, content, withSecret) +
			writeCurlCode(prepared("messages.sendText", content), "local-app", true);
		expect(code).not.toContain("secret-that-stays");
		expect(code.match(/MESSAGING_GATEWAY_APP_SECRET/g)?.length).toBeGreaterThan(1);
	});

	test("of an unsigned call signs nothing", () => {
		expect(writeCurlCode(prepared("health.check", sampleContent("health.check")), "local-app", false)).toBe(
			"curl --silent --show-error --globoff --request GET 'http://localhost:8080/health'\n",
		);
	});

	test.each(["json", "typescript", "bash", "text"] as const)(
		"coloured as %s stays the same text",
		(language) => {
			const joined = (text: string) =>
				highlight(text, language)
					.map((token) => token.text)
					.join("");
			const texts = samples.map(
				([id, content]) =>
					writeSdkCode(apiOperation(id), content, connection) +
					writeCurlCode(prepared(id, content), "a", true),
			);
			for (const text of [...texts, "", '"', "'", '{"a": -1.5e3, "b": [true, null]}', "x".repeat(200_000)]) {
				expect(joined(text)).toBe(text);
			}
			fc.assert(fc.property(fc.string(), (text) => joined(text) === text));
		},
	);
});

function prepared(id: OperationId, content: ReturnType<typeof sampleContent>) {
	const preparation = prepare(apiOperation(id), content, connection.baseUrl);
	if ("problem" in preparation) throw new Error(preparation.problem);
	return preparation;
}

/** Runs the program's call with the test's client. */
async function runProgram(code: string, gateway: MessagingGateway): Promise<void> {
	const call = /^const data = (await gateway[\s\S]*?;)\nconsole/m.exec(code)?.[1];
	if (call === undefined) throw new Error(`no call in ${code}`);
	const program = new Function("gateway", `return (async () => ${call.replace(/;$/, "")})();`);
	await program(gateway).catch(() => undefined);
}
