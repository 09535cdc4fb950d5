import { describe, expect, test } from "vitest";
import { createPageClient } from "../../../../src/tools/console/control-client.ts";
import { ControlClient } from "../../../../src/tools/control/client/control-client.ts";
import { LocalControlError } from "../../../../src/tools/control/client/control-error.ts";
import { CONTROL_VERSION, CONTROL_VERSION_HEADER } from "../../../../src/tools/control/contract.ts";

const PAGE = "http://gateway.example:4010";

function clientWith(respond: () => Response | Promise<Response>) {
	const requests: Request[] = [];
	const client = new ControlClient({
		baseUrl: PAGE,
		token: "secret",
		fetch: async (...request) => {
			requests.push(new Request(...request));
			return respond();
		},
		whenUnreachable: "Start it.",
		whenUnauthorized: "Take the right token.",
		describeForeign: (version) => `This has version ${version}.`,
		toError: (reason, message) => new LocalControlError(reason, message),
	});
	return { client, requests };
}

const headers = { [CONTROL_VERSION_HEADER]: CONTROL_VERSION };
const respondWith = (body: BodyInit | null, status = 200) => new Response(body, { status, headers });
const json = (value: unknown, status = 200) => respondWith(JSON.stringify(value), status);
const problem = (code: string) => ({
	ok: false,
	error: { code, message: "No agent is online.", requestId: "1" },
});

describe("control calls", () => {
	test("have the token, and actions have a JSON body", async () => {
		const { client, requests } = clientWith(() => json({ ok: true }));
		await client.act({ type: "clear_faults" });
		const [request] = requests;
		expect(request).toMatchObject({ method: "POST", url: `${PAGE}/_local/actions` });
		expect(request?.headers.get("Authorization")).toBe("Bearer secret");
		expect(request?.headers.get("Content-Type")).toBe("application/json");
		expect(await request?.text()).toBe('{"type":"clear_faults"}');
	});

	test("keys and ids are encoded", async () => {
		const { client, requests } = clientWith(() => respondWith("text"));
		expect(await client.testOf("+15551234567")).toBe("text");
		expect(await (await client.attachment("a/b")).text()).toBe("text");
		expect(requests.map(({ url }) => url)).toEqual([
			`${PAGE}/_local/test?conversation=%2B15551234567`,
			`${PAGE}/_local/attachments/a%2Fb`,
		]);
	});

	test("queries have only the parameters that are given", async () => {
		const page = { items: [], older: 0 };
		const { client, requests } = clientWith(() => json(page));
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

	test("a failed call is not retried", async () => {
		const { client, requests } = clientWith(() => json(problem("internal"), 500));
		await expect(client.get("getCredentials")).rejects.toMatchObject({ reason: "internal" });
		await expect(client.act({ type: "reset" })).rejects.toMatchObject({ reason: "internal" });
		expect(requests).toHaveLength(2);
	});

	test("a rejected call throws the gateway's code and message", async () => {
		const { client } = clientWith(() => json(problem("rejected"), 400));
		const error = await client.act({ type: "reset" }).catch((caught: unknown) => caught);
		expect(error).toBeInstanceOf(LocalControlError);
		expect(error).toMatchObject({ reason: "rejected", message: "No agent is online." });
	});

	test.each([
		["nothing", () => Promise.reject(new TypeError("Failed to fetch")), "unreachable", "Start it."],
		["a wrong token", () => json(problem("unauthorized"), 401), "unauthorized", "Take the right token."],
		["a proxy", () => new Response("<html>", { status: 502 }), "unexpected_response", "version null"],
		["a broken body", () => respondWith("<html>", 502), "unexpected_response", "other than JSON"],
		["no stream", () => respondWith(null), "unexpected_response", "no stream"],
	])("%s is an error that says what to do", async (_what, respond, reason, message) => {
		const { client } = clientWith(respond);
		const error = await client.openStream(new AbortController().signal).catch((caught: unknown) => caught);
		expect(error).toMatchObject({ reason, message: expect.stringContaining(message) });
	});

	test("of a page go to the page's own address", async () => {
		const urls: string[] = [];
		const client = createPageClient("secret", async (url) => {
			urls.push(url);
			return json({});
		});
		await client.get("getCredentials");
		expect(urls).toEqual(["/_local/credentials"]);
	});
});
