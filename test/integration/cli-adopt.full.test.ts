import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessagingGateway } from "messaging-gateway";
import { profileFromJson } from "messaging-gateway/maps";
import { signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import {
	FOREIGN_APP,
	FOREIGN_SECRET,
	type ForeignGatewayOptions,
	startForeignGateway,
} from "../support/foreign-gateway.ts";
import { runCli, runCliForJson } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";

const NEST = readFileSync(new URL("../support/gateway-documents/nest.yaml", import.meta.url), "utf8");
const DOCUMENT = JSON.stringify(parse(NEST)).replaceAll("/api/v1/", "/");

let folder: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-adopt-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

function environmentOf(baseUrl: string): Record<string, string> {
	return {
		MESSAGING_GATEWAY_BASE_URL: baseUrl,
		MESSAGING_GATEWAY_APP_ID: FOREIGN_APP,
		MESSAGING_GATEWAY_APP_SECRET: FOREIGN_SECRET,
	};
}

/** A gateway by other hands that shows its document at an address. */
async function startDocumented(options: ForeignGatewayOptions, pages: Readonly<Record<string, string>>) {
	const gateway = await startForeignGateway(options);
	const posted: unknown[] = [];
	const front = await serve(async (request, response) => {
		const { method = "GET", url = "/", headers } = request;
		const page = pages[url];
		if (page !== undefined) return void response.end(page);
		if (method === "POST" && url === "/messages/send") {
			for await (const chunk of request) posted.push(JSON.parse(String(chunk)));
			response.setHeader("content-type", "application/json");
			const data = {
				uuid: "6f1c2d3e-0000-4000-8000-000000000001",
				state: "WAITING",
				body: "Hi",
				createdAt: "2026-01-01T00:00:00Z",
			};
			const meta = { requestId: "6f1c2d3e-0000-4000-8000-000000000002", timestamp: "2026-01-01T00:00:00Z" };
			return void response.end(JSON.stringify({ ok: true, data, meta }));
		}
		const { host: _, connection: __, ...kept } = headers;
		const answer = await fetch(gateway.url + url, {
			method,
			headers: new Headers(kept as Record<string, string>),
		});
		response.writeHead(answer.status, Object.fromEntries(answer.headers));
		response.end(new Uint8Array(await answer.arrayBuffer()));
	});
	return {
		posted,
		seen: gateway.seen,
		env: environmentOf(front.url),
		baseUrl: front.url,
		async [Symbol.asyncDispose]() {
			await front[Symbol.asyncDispose]();
			await gateway[Symbol.asyncDispose]();
		},
	};
}

test("the written profile sends as the document says, and nothing was sent before", async () => {
	await using gateway = await startDocumented(
		{ mapping: "present", signedQuery: "raw" },
		{
			"/docs": '<script src="/docs/init.js"></script>',
			"/docs/init.js": 'ui({ url: "/swagger.json" })',
			"/swagger.json": DOCUMENT,
		},
	);
	const out = join(folder, "profile.json");
	const { code, stdout } = await runCli(["adopt", "--out", out], { env: gateway.env });
	expect(stdout).toContain("Signing  LIKELY   ");
	expect(stdout).toContain("/docs -> /docs/init.js -> /swagger.json (OpenAPI 3.0.0, 13 routes");
	expect(stdout).toMatch(
		/LIKELY {3}messages\.sendText +POST {3}\/messages\/send +document\n +to -> toNumber {3}/,
	);
	expect(stdout).toContain("--set messages.markRead.number=to");
	expect(stdout).toContain("Nothing was sent and nothing was changed.");
	expect(stdout).not.toMatch(new RegExp(`${FOREIGN_SECRET}|${FOREIGN_APP}|5555550100`));
	expect(code).toBe(0);
	expect(new Set(gateway.seen.map(({ method }) => method))).toEqual(new Set(["GET"]));
	expect(gateway.posted).toEqual([]);

	const profile = profileFromJson(JSON.parse(readFileSync(out, "utf8")));
	expect(profile.signing?.query).toBe("included");
	const client = new MessagingGateway({
		baseUrl: gateway.baseUrl,
		appId: FOREIGN_APP,
		appSecret: FOREIGN_SECRET,
		profile,
		logLevel: "off",
	});
	const { message } = await client.messages.sendText({ to: "+15551234567", text: "Hi" });
	expect(message).toMatchObject({
		messageId: "6f1c2d3e-0000-4000-8000-000000000001",
		status: "queued",
		text: "Hi",
		to: "+15551234567",
		outbound: true,
		timestamp_ms: 1_767_225_600_000,
	});
	expect(gateway.posted).toEqual([{ toNumber: "+15551234567", message: "Hi" }]);

	writeFileSync(out, "mine");
	const again = await runCli(["adopt", "--out", out], { env: gateway.env });
	expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("--force")]);
	expect(readFileSync(out, "utf8")).toBe("mine");
});

test("a document in a file, as JSON for machines", async () => {
	await using gateway = await startDocumented({ mapping: "present" }, {});
	const file = join(folder, "nest.yaml");
	writeFileSync(file, NEST.replaceAll("/api/v1/", "/"));
	const args = [
		"adopt",
		"--openapi",
		file,
		"--out",
		join(folder, "other.json"),
		"--set",
		"messages.markRead.number=to",
	];
	const { value } = await runCliForJson(args, { env: gateway.env });
	expect(value.signing.certainty).toBe("likely");
	const certainty = Object.fromEntries(
		value.operations.map((each: { id: string; certainty: string }) => [each.id, each.certainty]),
	);
	expect(certainty).toMatchObject({ "messages.markRead": "likely", "agents.register": "open" });
	expect(value.operations).toHaveLength(28);
});

const HOOKS = parse(
	readFileSync(new URL("../support/gateway-events/split-statuses.yaml", import.meta.url), "utf8"),
);
const { "x-events": DELIVERIES, ...HOOK_DOCUMENT } = HOOKS;

test("events of the document become maps, which receive what the gateway sends", async () => {
	await using gateway = await startDocumented({ mapping: "present" }, {});
	const file = join(folder, "hooks.json");
	writeFileSync(file, JSON.stringify({ ...HOOK_DOCUMENT, paths: JSON.parse(DOCUMENT).paths }));
	const out = join(folder, "events.json");
	const args = ["adopt", "--openapi", file, "--out", out, "--force"];
	const { stdout } = await runCli(args, { env: gateway.env });
	expect(stdout).toMatch(
		/LIKELY {3}event inbound_message +message\.received +document\n +from <- data\.sender\.phone_number/,
	);
	expect(stdout).toContain("message.sent, message.delivered, message.read, message.failed");
	const { value } = await runCliForJson(args, { env: gateway.env });
	const kinds = value.events.map(
		({ kind, certainty }: { kind: string; certainty: string }) => `${kind} ${certainty}`,
	);
	expect(kinds).toEqual([
		"inbound_message likely",
		"inbound_reaction likely",
		"inbound_reaction likely",
		"status likely",
	]);
	const profile = profileFromJson(JSON.parse(readFileSync(out, "utf8")));
	const body = JSON.stringify(DELIVERIES[0].payload);
	const headers = signWebhook({ body, secret: "s" });
	expect(verifyWebhook({ body, headers }, { secret: "s", profile })).toMatchObject({
		kind: "inbound_message",
		data: { from: "+15551234567", text: "Hi", groupId: null },
	});
});

test("--event checks a saved delivery with the maps, and shows none of its values", async () => {
	await using gateway = await startDocumented({ mapping: "present" }, { "/openapi.json": DOCUMENT });
	const [json, http] = ["message.json", "status.http"].map((name) => join(folder, name));
	writeFileSync(json ?? "", JSON.stringify(DELIVERIES[0].payload));
	writeFileSync(http ?? "", `X-SVC-Event-Id: evt_1\n\n${JSON.stringify(DELIVERIES[1].payload)}`);
	const out = join(folder, "seen.json");
	const args = ["adopt", "--out", out, "--event", json ?? "", "--event", http ?? ""];
	const { stdout } = await runCli(args, { env: gateway.env });
	expect(stdout).toMatch(/LIKELY {3}event inbound_message +message\.received +delivery\n/);
	expect(stdout).toContain(`fits ${json}`);
	expect(stdout).toMatch(
		/Event {4}\S+status\.http becomes status, without participants, attachments, .*error\n/,
	);
	expect(stdout).not.toMatch(/5551234567|Ana/);
	expect(JSON.parse(readFileSync(out, "utf8")).events.map).toHaveLength(2);
});

test("a document's control characters are shown as escapes", async () => {
	const clear = "\\u001b[2J";
	const strange = DOCUMENT.replaceAll("/receipts/", `/receipts${clear}/`).replaceAll(
		'"label"',
		`"label${clear}"`,
	);
	await using gateway = await startDocumented({ mapping: "present" }, { "/openapi.json": strange });
	const { stdout } = await runCli(["adopt", "--out", join(folder, "strange.json")], { env: gateway.env });
	expect(stdout).toContain("/receipts\\u001b[2J/{number}");
	expect(stdout).not.toContain("\u001b[2J");
});

test("our own document needs no map", async () => {
	await using gateway = await startDocumented({ mapping: "present" }, {});
	const out = join(folder, "own.json");
	const { value } = await runCliForJson(["adopt", "--openapi", "dist/openapi.json", "--out", out], {
		env: gateway.env,
	});
	expect(value.operations.filter((each: { source: string }) => each.source === "none")).toEqual([]);
	expect(Object.keys(JSON.parse(readFileSync(out, "utf8")))).toEqual(["signing"]);
});

const TO = "+15551239876";

test("without an agreement nothing is requested, exit code 2", async () => {
	await using gateway = await startDocumented({ shapes: {} }, {});
	for (const more of [[], ["--json"]]) {
		const args = ["adopt", "--out", join(folder, "never.json"), "--to", TO, ...more];
		const { code, stdout, stderr } = await runCli(args, { env: gateway.env });
		expect([code, stdout + stderr]).toEqual([2, expect.stringContaining("Confirm with --yes")]);
	}
	expect(gateway.seen).toEqual([]);
});

test("with --yes it sends, and --check then finds what changed", async () => {
	const out = join(folder, "sent.json");
	const options: ForeignGatewayOptions = {
		mapping: "present",
		shapes: { names: "short", nesting: "deep", ids: "number", agents: "items", duplicate: "top" },
	};
	const check = async (shapes: ForeignGatewayOptions) => {
		await using gateway = await startForeignGateway(shapes);
		return await runCli(["adopt", "--check", out], { env: environmentOf(gateway.baseUrl) });
	};
	{
		await using gateway = await startForeignGateway(options);
		const args = ["adopt", "--out", out, "--to", TO, "--yes"];
		const { code, stdout } = await runCli(args, { env: environmentOf(gateway.baseUrl) });
		expect(stdout).toContain("assumption, accepted, and messages.get shows the same");
		expect(stdout).toContain("The same text again gets 409, with its DuplicateInfo at duplicate.");
		expect(stdout).toContain("The gateway accepted 6 sends to the contact.");
		expect(stdout).not.toMatch(new RegExp(`${FOREIGN_SECRET}|${FOREIGN_APP}|1239876|Test [0-9a-f]{4}`));
		expect([code, gateway.sent()]).toEqual([0, 1]);
	}
	const profile = JSON.parse(readFileSync(out, "utf8"));
	expect(profile.operations["messages.sendText"].map.response.fields["message.messageId"]).toEqual({
		at: "result.item.id",
		text: true,
	});
	const proofs = JSON.parse(readFileSync(join(folder, "sent.adopt.json"), "utf8"));
	expect(proofs.operations["messages.sendText"]).toEqual({
		certainty: "certain",
		source: "assumption",
		route: "POST /message/text",
		proof: "accepted, and messages.get shows the same",
	});

	const cases: [code: number, line: RegExp, ForeignGatewayOptions][] = [
		// A new gateway has no message yet.
		[3, /UNSEEN {3}messages\.get /, options],
		[1, /DIFFERS {2}agents\.list .*differs: /, { ...options, shapes: { ...options.shapes, agents: "ours" } }],
		[1, /DIFFERS {2}signing/, { ...options, signedQuery: "separate", signedPath: "lower_case_hex" }],
		[3, /UNSEEN {3}signing/, { ...options, failing: "page" }],
		[1, /DIFFERS {2}signing/, { ...options, secret: "a rotated secret" }],
	];
	for (const [code, line, given] of cases) {
		const checked = await check(given);
		expect([checked.code, checked.stdout]).toEqual([code, expect.stringMatching(line)]);
		expect(checked.stdout).not.toContain(FOREIGN_SECRET);
	}
});

test.each<[string, ForeignGatewayOptions, string]>([
	["a wrong secret", { mapping: "present", secret: "another-s3cret" }, "OPEN"],
	["a server that fails", { failing: "page" }, "OPEN"],
])("%s: nothing is written, exit code 1", async (_, options, certainty) => {
	await using gateway = await startDocumented(options, { "/openapi.json": DOCUMENT });
	const out = join(folder, "never.json");
	const { code, stdout } = await runCli(["adopt", "--out", out], { env: gateway.env });
	expect([code, existsSync(out)]).toEqual([1, false]);
	expect(stdout).toContain(`Signing  ${certainty}`);
	expect(stdout).toContain("Wrote nothing");
	expect(stdout).not.toContain(FOREIGN_SECRET);
});

test.each([
	[["--set", "messages.sendTexts.to=x"], "give OPERATION="],
	[["--openapi", "package.json"], "package.json is no OpenAPI document"],
	[["--to", "5551234567"], "--to must be an e-mail address, a short code"],
	[["--check", "missing.json"], "missing.json"],
	[["--event", "LICENSE"], "LICENSE has no JSON body"],
	[["--event", "README.md"], "README.md has no JSON body"],
	[["--event", "missing.json"], "missing.json can't be read"],
])("%j is a usage error", async (args, message) => {
	const env = {
		MESSAGING_GATEWAY_BASE_URL: "http://127.0.0.1:9",
		MESSAGING_GATEWAY_APP_ID: "a",
		MESSAGING_GATEWAY_APP_SECRET: FOREIGN_SECRET,
	};
	const { code, stderr } = await runCli(["adopt", "--out", join(folder, "never.json"), ...args], { env });
	expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
