import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listen } from "messaging-gateway/testing/node";
import { expect, test } from "vitest";
import type { Profile } from "../../src/library/catalogue/profile.ts";
import { catchRejection } from "../support/catch-error.ts";
import { operationsById } from "../support/openapi-schemas.ts";
import { createCalledGateway, METHODS } from "../support/operation-calls.ts";
import { startProcess } from "../support/started-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { documentOf, PROFILE_OF_MAPS, SIGNING_PROFILES } from "./support/openapi-documents.ts";
import { requireOpenApiTool, runOpenApiScript } from "./support/openapi-tools.ts";

/** A folder or a request of a Postman collection. */
interface Item {
	name: string;
	item?: Item[];
	request?: { method: string; auth?: { type: string; apikey?: unknown } | null; body?: { raw?: string } };
	response?: { code: number }[];
}

test("Postman imports every operation, with its example, its responses and the App ID", async () => {
	const text = documentOf();
	const { item }: { item: Item[] } = JSON.parse(await runOpenApiScript("import-to-postman.mjs", text));
	const requests = item.flatMap(({ item: inner = [] }) => inner);
	const imported = requests.map(({ name, request, response = [] }) => ({
		name,
		method: request?.method,
		auth: request?.auth?.apikey ?? null,
		body: request?.body?.raw && JSON.parse(request.body.raw),
		statuses: response.map(({ code }) => String(code)).sort(),
	}));
	const key = [
		{ key: "key", value: "X-App-Id" },
		{ key: "value", value: "{{apiKey}}" },
		{ key: "in", value: "header" },
	];
	const placed = [...operationsById(JSON.parse(text)).values()];
	expect(placed).toHaveLength(28);
	const expected = placed.map(({ method, operation }) => ({
		name: operation.summary,
		method,
		auth: operation.security.length === 0 ? null : key,
		body: operation.requestBody?.content["application/json"]?.example,
		statuses: Object.keys(operation.responses).sort(),
	}));
	expect(imported).toHaveLength(placed.length);
	expect(imported).toEqual(expect.arrayContaining(expected));
});

/** They need the id of a message, of which no example can exist. */
const UNKNOWN_MESSAGES = ["messages.tapback", "messages.get"];

test("Postman makes every call of the document with the script of the example", async () => {
	await using server = await listen();
	const text = documentOf(undefined, null).replaceAll('"Hello"', '"Grüße 👋"');
	const collection = JSON.parse(await runOpenApiScript("import-to-postman.mjs", text));
	const script = readFileSync("examples/modules/openapi/postman.js", "utf8");
	collection.event = [{ listen: "prerequest", script: { exec: script.split("\n") } }];
	const variables = { base_url: server.url, apiKey: "local-app", appSecret: server.local.appSecret };
	const statuses = JSON.parse(
		await runOpenApiScript("run-collection.mjs", JSON.stringify({ collection, variables })),
	);
	const expected = [...operationsById(JSON.parse(text)).values()].map(({ operation }) => [
		operation.summary,
		UNKNOWN_MESSAGES.includes(operation.operationId) ? 404 : Number(Object.keys(operation.responses)[0]),
	]);
	expect(statuses).toEqual(expected);
});

/** What a client cannot do with a profile whose maps lack fields, whatever the gateway responds. */
const UNMAPPED = {
	"messages.sendAttachments through sendAttachments": "invalid_input",
	"mappings.list through list": "unexpected_response",
	"analytics.listMessages through listMessages": "unexpected_response",
};

test.each<{ title: string; profile?: Profile; failures?: Record<string, string> }>([
	{ title: "the catalogue" },
	{ title: "a profile of maps", profile: PROFILE_OF_MAPS, failures: UNMAPPED },
	...SIGNING_PROFILES.slice(-1).map((profile) => ({ title: "other choices of signing", profile })),
])("a mock server of $title accepts every call, and the client its response", async (row) => {
	const { profile, failures = {} } = row;
	await using server = await startMockServer(documentOf(profile));
	let isSeeded = false;
	const { local, callMethod } = await createCalledGateway(
		{
			maxRetries: 0,
			logLevel: "off",
			responseValidation: { documented: "throw", provisional: "throw" },
			...(profile === undefined ? {} : { profile }),
		},
		{ rules: "off", ...(profile === undefined ? {} : { profile }) },
		(created) => (url, init) => {
			const { pathname, search } = new URL(url);
			return isSeeded ? fetch(server.url + pathname + search, init) : created.clientOptions.fetch(url, init);
		},
	);
	await using _ = local;
	isSeeded = true;
	const failed: Record<string, string> = {};
	for (const { operation, method, name } of METHODS) {
		const error = await catchRejection(callMethod(operation.id, method)).catch(() => undefined);
		if (error !== undefined) failed[name] = String(Reflect.get(Object(error), "code"));
	}
	expect(failed).toEqual(failures);
});

test("a mock server responds to a health check, whatever it accepts", async () => {
	await using server = await startMockServer(documentOf());
	const types = ["*/*", "application/json", "text/plain", "text/html, */*;q=0.8"];
	const statuses = types.map(async (accept) => {
		const response = await fetch(`${server.url}/health`, { headers: { accept } });
		return response.status;
	});
	expect(await Promise.all(statuses)).toEqual(types.map(() => 200));
});

function startMockServer(text: string) {
	const folder = temporaryFolder();
	writeFileSync(join(folder, "openapi.json"), text);
	const prism = requireOpenApiTool("@stoplight/prism-cli/dist/index.js");
	return startProcess([prism, "mock", "-p", "$PORT", "openapi.json"], {
		cwd: folder,
		environment: {},
		ready: /Prism is listening/,
	});
}
