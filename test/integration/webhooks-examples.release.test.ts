import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { EXAMPLE_SECRET, proveExample } from "../support/prove-example.ts";
import { startProcess } from "../support/started-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test.each(["express", "fastify", "hono"])(
	"the example for %s prints each event of a local gateway once",
	async (framework) => {
		const args = ["--conditions=@messaging-gateway/source", `examples/webhooks-${framework}/main.ts`];
		const environment = { MESSAGING_GATEWAY_WEBHOOK_SECRET: EXAMPLE_SECRET };
		await using example = await startProcess(args, { cwd: ROOT, environment, ready: /^listening/ });
		await proveExample(example);
	},
);
