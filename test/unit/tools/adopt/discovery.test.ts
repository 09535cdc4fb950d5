import { expect, test } from "vitest";
import { discoverDocument, usualAddresses } from "../../../../src/tools/adopt/discovery/discover-document.ts";
import { DocumentFetcher } from "../../../../src/tools/adopt/discovery/document-fetcher.ts";
import { parseYaml } from "../../../../src/tools/cli/adopt/parse-yaml.ts";

const BASE = "https://gateway.example/v1";
const DOCUMENT = { openapi: "3.0.0", paths: { "/mapping/{toNumber}": {}, "/settings/webhooks": {} } };
const JSON_TEXT = JSON.stringify(DOCUMENT);

type Page =
	| string
	| { readonly status: number; readonly text?: string; readonly headers?: Record<string, string> };

/** Looks for a document on a host that has these pages. */
async function discover(pages: Readonly<Record<string, Page>>, isSigned = false) {
	const asked: string[] = [];
	const waits: number[] = [];
	const fetcher = new DocumentFetcher({
		origin: "https://gateway.example",
		userAgent: "test",
		sleep: async (ms) => void waits.push(ms),
		sign: isSigned ? () => ({ authorization: "HMAC 00" }) : undefined,
		fetch: async (url, init) => {
			expect([init.method ?? "GET", init.redirect, new URL(url).origin]).toEqual([
				"GET",
				"manual",
				"https://gateway.example",
			]);
			const { pathname, search } = new URL(url);
			const page = pages[pathname + search] ?? { status: 404 };
			asked.push(pathname);
			const isAllowed = new Headers(init.headers).has("authorization");
			if (typeof page === "string") return new Response(page);
			if (page.status === 401 && isAllowed) return new Response(page.text);
			const isAgain = page.status === 429 && asked.filter((path) => path === pathname).length > 1;
			if (isAgain && page.text !== undefined) return new Response(page.text);
			return new Response(null, { status: page.status, headers: page.headers ?? {} });
		},
	});
	const found = await discoverDocument(usualAddresses(BASE), fetcher, parseYaml);
	return {
		trail: found?.trail.join(" ") ?? "none",
		asked,
		waits,
		left: [...fetcher.left],
		locked: [...fetcher.locked],
	};
}

test.each<[string, Record<string, Page>, string]>([
	[
		"Swagger UI's initializer",
		{
			"/v1/docs": '<script src="./docs/init.js"></script>',
			"/v1/docs/init.js": 'SwaggerUIBundle({ url: "/v1/swagger.json" })',
			"/v1/swagger.json": JSON_TEXT,
		},
		"/v1/docs /v1/docs/init.js /v1/swagger.json",
	],
	[
		"an object in a script",
		{
			"/docs/": '<script src="ui-init.js"></script>',
			"/docs/ui-init.js": `let options = { "swaggerDoc": ${JSON_TEXT}, "customOptions": {} };`,
		},
		"/docs/ /docs/ui-init.js",
	],
	[
		"a configuration",
		{
			"/docs": "ui({ configUrl: '/v3/api-docs/swagger-config' })",
			"/v3/api-docs/swagger-config": '{"urls":[{"url":"/v3/api-docs/all"}]}',
			"/v3/api-docs/all": JSON_TEXT,
		},
		"/docs /v3/api-docs/swagger-config /v3/api-docs/all",
	],
	[
		"an attribute",
		{
			"/docs": "<redoc spec-url='spec/openapi.yaml'></redoc>",
			"/docs/spec/openapi.yaml": "openapi: 3.1.0\npaths:\n  /settings/webhooks: {}\n",
		},
		"/docs /docs/spec/openapi.yaml",
	],
	[
		"an escaped configuration",
		{
			"/docs":
				'<script data-configuration="{&quot;spec&quot;:{&quot;url&quot;:&quot;/docs/api.json&quot;}}"></script>',
			"/docs/api.json": JSON_TEXT,
		},
		"/docs /docs/api.json",
	],
	["JSON in the page", { "/docs": `<script type="application/json">${JSON_TEXT}</script>` }, "/docs"],
	["a usual address", { "/docs-json": JSON_TEXT }, "/docs-json"],
	["a login page", { "/docs": "<form action=/login></form>" }, "none"],
	["another service", { "/openapi.json": '{"openapi":"3.0.0","paths":{"/pets":{},"/health":{}}}' }, "none"],
	["aliases", { "/openapi.yaml": "openapi: 3.0.0\npaths: &a\n  /settings/webhooks: {}\nx: *a\n" }, "none"],
	["a redirect", { "/docs": { status: 302, headers: { location: "/openapi" } } }, "none"],
	["5 MB", { "/openapi.json": `${" ".repeat(5 * 2 ** 20)}${JSON_TEXT}` }, "none"],
])("%s", async (_, pages, trail) => {
	expect((await discover(pages)).trail).toBe(trail);
});

test("nothing but addresses of documents on the gateway's own host is requested", async () => {
	const page = `<script src="https://cdn.example/app.js"></script><script>
		ui({ url: "https://petstore.example/v2/swagger.json", configUrl: "/queue/flush" }); fetch("/send?to=1")</script>`;
	const { asked, left } = await discover({ "/docs": page });
	expect(left).toEqual(["petstore.example (another host)", "cdn.example (another host)"]);
	expect(asked.filter((path) => /flush|send/.test(path))).toEqual([]);
	expect(asked.length).toBeLessThanOrEqual(60);
});

test("without a network only two addresses are tried", async () => {
	const fetcher = new DocumentFetcher({
		origin: "https://gateway.example",
		userAgent: "test",
		sleep: () => Promise.resolve(),
		sign: undefined,
		fetch: () => Promise.reject(new TypeError("fetch failed")),
	});
	expect(await discoverDocument(usualAddresses(BASE), fetcher, parseYaml)).toBeUndefined();
	expect([fetcher.requests, ...fetcher.left]).toEqual([2, "/v1/docs (no response)", "/docs (no response)"]);
});

test("a 401 is tried again with a signature", async () => {
	const pages = { "/openapi.json": { status: 401, text: JSON_TEXT } };
	expect(await discover(pages)).toMatchObject({
		trail: "none",
		locked: ["https://gateway.example/openapi.json"],
	});
	expect((await discover(pages, true)).trail).toBe("/openapi.json");
});

test("Retry-After is obeyed once; a longer one ends the search", async () => {
	const pages = { "/docs-json": { status: 429, headers: { "retry-after": "2" }, text: JSON_TEXT } };
	expect(await discover(pages)).toMatchObject({ trail: "/docs-json", waits: [2_000] });
	const { asked, waits } = await discover({
		"/v1/docs": { status: 429, headers: { "retry-after": "600" } },
		"/docs": JSON_TEXT,
	});
	expect([asked, waits]).toEqual([["/v1/docs"], []]);
});
