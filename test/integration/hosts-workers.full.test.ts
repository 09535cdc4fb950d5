import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Cells } from "../hosts/actions.ts";
import { defineGateway } from "../hosts/define-gateway.ts";
import { testHosts } from "../hosts/test-hosts.ts";
import { bundleForUser } from "../support/bundle.ts";
import { type RunningServer, serve } from "../support/serve.ts";

let gateway: ListeningGateway;
let sink: RunningServer;
let script: string;
let reports: number;

beforeAll(async () => {
	gateway = await listen({ rules: "off" });
	sink = await serve((_, response) => {
		reports += 1;
		response.end();
	});
	const { outputFiles } = await bundleForUser(`export { default } from "./test/hosts/entries/workers.ts";`, {
		conditions: ["workerd", "worker", "browser"],
		define: { ...defineGateway(gateway), REPORTS_URL: JSON.stringify(sink.url) },
	});
	script = outputFiles[0]?.text ?? "";
});

afterAll(async () => {
	await sink?.[Symbol.asyncDispose]();
	await gateway?.close();
});

/** Without `nodejs_compat`, so that nothing of Node is there to lean on. */
function start(compatibilityDate: string): Miniflare {
	const worker = new Miniflare({ modules: true, script, compatibilityDate });
	onTestFinished(() => worker.dispose());
	return worker;
}

testHosts("hosts-workers.full", {
	async "Cloudflare Workers"(compatibilityDate) {
		const response = await start(compatibilityDate).dispatchFetch("http://worker.example/cells");
		return (await response.json()) as Cells;
	},
});

test.each([
	["2021-11-02", "/with-context"],
	["2021-11-02", "/alone"],
	["2026-07-01", "/with-context"],
	["2026-07-01", "/alone"],
])("an onError that waits ends, in Workers of %s, %s", async (compatibilityDate, path) => {
	const worker = start(compatibilityDate);
	reports = 0;
	const deliveries = [1, 2, 3, 4].map(() =>
		worker.dispatchFetch(`http://worker.example${path}`, { method: "POST", body: "{}" }),
	);
	for (const delivery of deliveries) expect((await delivery).status).toBe(400);
	await expect.poll(() => reports).toBe(4);
});
