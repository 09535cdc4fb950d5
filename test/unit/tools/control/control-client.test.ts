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
	test("keys and ids are encoded, and queries have only the parameters that are given", async () => {
		const { client, requests } = clientWith(() => json("text"));
		expect(await (await client.attachment("a/b")).text()).toBe('"text"');
		await client.page("requests", { failed: true, search: "a b", before: undefined });
		await client.testOfRequest("a/b");
		expect(requests.map(({ url }) => url.replace(`${PAGE}/_local/`, ""))).toEqual([
			"attachments/a%2Fb",
			"requests?failed=true&search=a+b",
			"requests/a%2Fb/test",
		]);
	});

	test("a failed call is not retried", async () => {
		const { client, requests } = clientWith(() => json(problem("internal"), 500));
		await expect(client.get("getCredentials")).rejects.toMatchObject({ reason: "internal" });
		await expect(client.act({ type: "reset" })).rejects.toMatchObject({ reason: "internal" });
		expect(requests).toHaveLength(2);
	});

	test.each([
		["a wrong token", () => json(problem("unauthorized"), 401), "unauthorized", "Take the right token."],

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
