import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WORKS } from "../hosts/expected.ts";
import { bundleForUser } from "../support/bundle.ts";
import { type RunningServer, serve } from "../support/serve.ts";

/** From the first, whose URL has no `canParse`, without `nodejs_compat`, so that nothing of Node is there to lean on. */
const DATES = ["2021-11-02", "2026-07-01"];

describe.each(DATES)("Workers of %s", (compatibilityDate) => {
	let gateway: ListeningGateway;
	let sink: RunningServer;
	let worker: Miniflare;
	let reports: number;

	beforeAll(async () => {
		gateway = await listen({ rules: "off" });
		sink = await serve((_, response) => {
			reports += 1;
			response.end();
		});
		const { baseUrl, appId, appSecret } = gateway.clientOptions;
		const { outputFiles } = await bundleForUser(
			`export { default } from "./test/hosts/entries/workers.ts";`,
			{
				conditions: ["workerd", "worker", "browser"],
				define: {
					GATEWAY: JSON.stringify({ baseUrl, appId, appSecret }),
					REPORTS_URL: JSON.stringify(sink.url),
				},
			},
		);
		worker = new Miniflare({ modules: true, script: outputFiles[0]?.text ?? "", compatibilityDate });
	});

	afterAll(async () => {
		await worker?.dispose();
		await sink?.[Symbol.asyncDispose]();
		await gateway?.close();
	});

	test("everything works", async () => {
		const response = await worker.dispatchFetch("http://worker.example/cells");
		expect(await response.json()).toEqual(WORKS);
	});

	test.each(["/with-context", "/alone"])("an onError that waits ends, %s", async (path) => {
		reports = 0;
		const deliveries = [1, 2, 3, 4].map(() =>
			worker.dispatchFetch(`http://worker.example${path}`, { method: "POST", body: "{}" }),
		);
		for (const delivery of deliveries) expect((await delivery).status).toBe(400);
		await expect.poll(() => reports).toBe(4);
	});
});
