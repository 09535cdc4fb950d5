import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createLocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { expect, test } from "vitest";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLE = ["--conditions=@messaging-gateway/source", "examples/opentelemetry/main.ts"];

async function runExample(environment: Record<string, string | undefined>): Promise<string[]> {
	const env = { ...process.env, MESSAGING_GATEWAY_BASE_URL: undefined, ...environment };
	const { stdout, stderr } = await run(process.execPath, EXAMPLE, { cwd: ROOT, env });
	expect(stderr).toBe("");
	return stdout.trimEnd().split("\n");
}

test("the example prints a send that was retried, and an event with the reply to it", async () => {
	expect(await runExample({})).toEqual([
		"INTERNAL  messaging-gateway messages.sendText  messaging_gateway.call.attempt_count=2",
		"  CLIENT  POST /message/text  http.response.status_code=429  error.type=429",
		"  CLIENT  POST /message/text  http.response.status_code=202  http.request.resend_count=1",
		"INTERNAL  messaging-gateway settings.setWebhooks  messaging_gateway.call.attempt_count=1",
		"  CLIENT  POST /settings/webhooks  http.response.status_code=200",
		"CONSUMER  process inbound_message  messaging_gateway.handler.attempt=1",
		"  INTERNAL  messaging-gateway messages.sendText  messaging_gateway.call.attempt_count=1",
		"    CLIENT  POST /message/text  http.response.status_code=202",
	]);
});

test("against a running gateway it prints the send", async () => {
	await using local = createLocalGateway();
	await using server = await listen(local);
	const lines = await runExample({
		MESSAGING_GATEWAY_BASE_URL: server.url,
		MESSAGING_GATEWAY_APP_ID: local.appId,
		MESSAGING_GATEWAY_APP_SECRET: local.appSecret,
	});
	expect(lines).toEqual([
		"INTERNAL  messaging-gateway messages.sendText  messaging_gateway.call.attempt_count=1",
		"  CLIENT  POST /message/text  http.response.status_code=202",
	]);
	expect(local.requests.map(({ operationId }) => operationId)).toEqual(["messages.sendText"]);
});
