import { describe, expect, test } from "vitest";
import { ControlClient, ControlError } from "../../../../src/tools/console/control-client.ts";

const PAGE = "http://gateway.example:4010";

function clientWith(respond: () => Response | Promise<Response>) {
	const requests: Request[] = [];
	const client = new ControlClient("secret", {
		baseUrl: PAGE,
		fetch: async (...request) => {
			requests.push(new Request(...request));
			return respond();
		},
	});
	return { client, requests };
}

describe("control calls", () => {
	test("have the token, and actions have a JSON body", async () => {
		const { client, requests } = clientWith(() => Response.json({ ok: true }));
		await client.act({ type: "clear_faults" });
		const [request] = requests;
		expect(request).toMatchObject({ method: "POST", url: `${PAGE}/_local/actions` });
		expect(request?.headers.get("Authorization")).toBe("Bearer secret");
		expect(request?.headers.get("Content-Type")).toBe("application/json");
		expect(await request?.text()).toBe('{"type":"clear_faults"}');
	});

	test("keys and ids are encoded", async () => {
		const { client, requests } = clientWith(() => new Response("text"));
		expect(await client.testOf("+15551234567")).toBe("text");
		expect(await (await client.attachment("a/b")).text()).toBe("text");
		expect(requests.map(({ url }) => url)).toEqual([
			`${PAGE}/_local/test?conversation=%2B15551234567`,
			`${PAGE}/_local/attachments/a%2Fb`,
		]);
	});

	test("queries have only the parameters that are given", async () => {
		const page = { items: [], older: 0 };
		const { client, requests } = clientWith(() => Response.json(page));
		expect(await client.page("requests", { failed: true, search: "a b", before: undefined })).toEqual(page);
		await client.page("deliveries", { limit: 2 });
		await client.request("a/b");
		await client.testOfRequest("a/b");
		expect(requests.map(({ url }) => url)).toEqual([
			`${PAGE}/_local/requests?failed=true&search=a+b`,
			`${PAGE}/_local/deliveries?limit=2`,
			`${PAGE}/_local/requests/a%2Fb`,
			`${PAGE}/_local/requests/a%2Fb/test`,
		]);
	});

	test("secrets and streams are never read from a cache", async () => {
		const { client, requests } = clientWith(() => Response.json({}));
		await client.credentials();
		await client.openStream(new AbortController().signal);
		expect(requests.map(({ cache }) => cache)).toEqual(["no-store", "no-store"]);
	});

	test("a failed call is not retried", async () => {
		const { client, requests } = clientWith(() => Response.json({}, { status: 503 }));
		await expect(client.credentials()).rejects.toMatchObject({ status: 503 });
		await expect(client.act({ type: "reset" })).rejects.toMatchObject({ status: 503 });
		expect(requests).toHaveLength(2);
	});

	test("a rejected call throws the gateway's message", async () => {
		const problem = { ok: false, error: { code: "rejected", message: "No agent is online." } };
		const { client } = clientWith(() => Response.json(problem, { status: 409 }));
		const error = await client.act({ type: "reset" }).catch((caught: unknown) => caught);
		expect(error).toBeInstanceOf(ControlError);
		expect(error).toMatchObject({ status: 409, message: "No agent is online." });
	});

	test.each(["", "<html>", "null", '{"error":"x"}'])(
		"a rejected call with the body %j reports its status",
		async (body) => {
			const { client } = clientWith(() => new Response(body, { status: 502 }));
			await expect(client.act({ type: "reset" })).rejects.toThrow("The gateway responded with 502.");
		},
	);

	test("a failed connection is an error with status 0", async () => {
		const { client } = clientWith(() => Promise.reject(new TypeError("Failed to fetch")));
		await expect(client.act({ type: "reset" })).rejects.toMatchObject({ status: 0 });
	});

	test("a stream without a body is an error", async () => {
		const { client } = clientWith(() => new Response(null));
		await expect(client.openStream(new AbortController().signal)).rejects.toThrow("no stream");
	});
});
