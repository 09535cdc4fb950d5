import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { expect, test } from "vitest";
import { writeWebhookTest } from "../../src/tools/console/conversations/drawer/write-code.ts";
import { createWatchedGateway } from "../support/controlled-gateway.ts";
import { serve } from "../support/serve.ts";
import { ALICE } from "../support/signed-client.ts";
import { CopiedTests } from "./support/copied-tests.ts";

const SET_UP = /^ *\/\/ The gateway is new: .*$/m;

test("requests copied as tests have right types and pass, once what they depend on is set up", async () => {
	using tests = new CopiedTests();
	const { gateway, local, control } = createWatchedGateway();
	const testOf = async (call: PromiseLike<unknown>): Promise<string> => {
		await Promise.resolve(call).catch(() => undefined);
		return control.requestTest(control.requests({ limit: 1 }).items[0]?.requestId ?? "");
	};
	const send = () => gateway.messages.sendText({ to: ALICE, text: 'Say "hi"\n\u2028' });
	tests.write("accepted.test.ts", await testOf(send()));
	tests.write("duplicate.test.ts", await testOf(send()));
	tests.write("invalid.test.ts", await testOf(gateway.request("POST", "/message/text", { body: { to: 1 } })));
	tests.write("unknown-path.test.ts", await testOf(gateway.request("POST", "/no/such/path", { body: {} })));
	tests.write("unknown-id.test.ts", await testOf(gateway.messages.get("unknown")));
	tests.write("query.test.ts", await testOf(gateway.agents.list({ status: "online", limit: 1 })));
	local.faults.respond({ status: 503 });
	tests.write("fault.test.ts", await testOf(send()));
	const depending = await testOf(gateway.mappings.get(ALICE));
	tests.write("new.test.ts", depending);
	const setUp = `  await gateway.messages.sendText({ to: "${ALICE}", text: "Hello" });`;
	tests.write("set-up.test.ts", depending.replace(SET_UP, setUp));

	expect(await tests.check()).toBe("");
	const { "new.test.ts": failure, ...others } = await tests.run();
	expect(failure).toMatch(/NotFoundError: .* 404 MAPPING_NOT_FOUND/);
	expect(others).toEqual({
		"accepted.test.ts": "",
		"duplicate.test.ts": "",
		"fault.test.ts": "",
		"invalid.test.ts": "",
		"query.test.ts": "",
		"set-up.test.ts": "",
		"unknown-id.test.ts": "",
		"unknown-path.test.ts": "",
	});
});

test("a webhook copied as a test has right types, and passes with a receiver that has the secret", async () => {
	const secret = "the-secret-of-this-receiver";
	const received: string[] = [];
	const webhooks = createWebhookHandler({
		secret,
		store: memoryStore(),
		on: { inbound_message: ({ data }) => void received.push(data.text), unknown: () => undefined },
		onError: () => undefined,
	});
	await using receiver = await serve(toNode(webhooks));
	const { local } = createWatchedGateway();
	await local.contact(ALICE).reply('"Hi"\u2028');
	const [delivery] = local.deliveries;
	if (delivery === undefined) throw new Error("the reply has no webhook");
	using tests = new CopiedTests();
	tests.write("webhook.test.ts", writeWebhookTest({ ...delivery, url: receiver.url }));

	expect(await tests.check()).toBe("");
	const given = (value: string) => tests.run({ MESSAGING_GATEWAY_WEBHOOK_SECRET: value });
	expect(await given("another-secret-of-this-test")).toMatchObject({
		"webhook.test.ts": expect.stringMatching(/AssertionError/),
	});
	expect(await given(secret)).toEqual({ "webhook.test.ts": "" });
	expect(received).toEqual(['"Hi"\u2028']);
});
