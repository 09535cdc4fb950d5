import { expect, test } from "vitest";
import { createWatchedGateway } from "../support/controlled-gateway.ts";
import { GeneratedTests } from "../support/generated-tests.ts";

const ALICE = "+15551234567";

test("written tests pass, and their types are right", async () => {
	using tests = new GeneratedTests();
	const { gateway, control } = createWatchedGateway();
	const testOfLast = (): Promise<string> => {
		const last = control.requests({ limit: 1 }).items[0];
		return control.requestTest(last?.requestId ?? "");
	};
	await gateway.messages.sendText({ to: ALICE, text: 'Say "hi"\n\u2028' });
	tests.write("accepted.test.ts", await testOfLast());
	await gateway.messages.sendText({ to: ALICE, text: 'Say "hi"\n\u2028' }).catch(() => undefined);
	tests.write("duplicate.test.ts", await testOfLast());
	await gateway.request("POST", "/no/such/path", { body: { a: 1 } }).catch(() => undefined);
	tests.write("unknown.test.ts", await testOfLast());
	await gateway.request("POST", "/message/text", { body: { to: 1 } }).catch(() => undefined);
	tests.write("invalid.test.ts", await testOfLast());
	await gateway.agents.list({ status: "online", limit: 1 });
	tests.write("query.test.ts", await testOfLast());
	expect(await tests.check()).toBe("");
	expect(await tests.run()).toEqual({ passed: 5, failures: "[]" });
});
