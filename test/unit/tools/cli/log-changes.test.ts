import { stripVTControlCharacters } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createPageLog, logChanges } from "../../../../src/tools/cli/dev/log-changes.ts";
import { Terminal } from "../../../../src/tools/cli/terminal.ts";
import type { ControlledGatewayOptions } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { ALICE } from "../../../support/signed-client.ts";

/** Its messages fail before they are sent. */
const FAILING = "+15550001001";
const TEXT = "a text of the application";

afterEach(() => vi.restoreAllMocks());

/** A gateway whose changes are logged, and the lines so far. */
function createLoggedGateway(options: ControlledGatewayOptions = {}, isJson = false, columns?: number) {
	const world = createWatchedGateway(options);
	const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
	const end = logChanges(new Terminal({ isJson, columns: () => columns }), world.control, world.clock);
	const lines = () => output.mock.calls.map(([piece]) => stripVTControlCharacters(String(piece)));
	const receive = async () => {
		await world.local.contact(ALICE).reply("Hi");
		await world.local.settled();
	};
	return { ...world, end, lines, receive };
}

const failing: ControlledGatewayOptions = { deliverTo: () => new Response(null, { status: 503 }) };

describe("a request is a line", () => {
	test("with its time, status and operation, and why it was rejected", async () => {
		const { gateway, end, lines } = createLoggedGateway({ deliverTo: undefined });
		await gateway.messages.sendText({ to: ALICE, text: TEXT });
		await gateway.messages.sendText({ to: ALICE, text: TEXT }).catch(() => undefined);
		await gateway.agents.list();
		end();
		const requests = lines().filter((line) => /^\d.*←/.test(line));
		expect(requests).toEqual([
			expect.stringMatching(
				/^\d\d:\d\d:\d\d {2}409 {2}← messages.sendText .*0 ms {2}[0-9a-f]{8} {2}DUPLICATE_MESSAGE\n {15}The duplicate rule .+\n {15}Let the contact reply .+\n$/,
			),
			expect.stringMatching(/^\d\d:\d\d:\d\d {2}200 {2}← agents.list .*0 ms {2}[0-9a-f]{8}\n$/),
			expect.stringMatching(
				/^\d\d:\d\d:\d\d {2}202 {2}← messages.sendText {13}0 ms {2}[0-9a-f]{8} {2}queued\n$/,
			),
		]);
		expect(lines().join("")).not.toContain(TEXT);
		expect(lines().join("")).not.toContain(ALICE);
	});

	test("also with a wrong secret, an invalid field, an unknown path and a broken connection", async () => {
		const { gateway, local, lines } = createLoggedGateway();
		const options = { ...local.clientOptions, appSecret: "another", maxRetries: 0, logLevel: "off" } as const;
		await new MessagingGateway(options).agents.list().catch(() => undefined);
		await gateway.mappings.update(ALICE, { maxConsecutiveMessages: 0 }).catch(() => undefined);
		await local.fetch(new Request(`${local.baseUrl}/no/such/%1b[2J/${"x".repeat(99)}`));
		await local.fetch(new Request(`${local.baseUrl}/mapping/${ALICE}`, { method: "PURGE" }));
		local.faults.dropConnection({ when: "after" });
		await gateway.agents.list().catch(() => undefined);
		const shown = lines().join("");
		expect(shown).toMatch(
			/401 {2}← agents.list .*UNAUTHORIZED\n {15}The signature matches no secret of this gateway/,
		);
		expect(shown).toMatch(/404 {2}← GET \/no\/such\/%1b\[2J\/x+…/);
		expect(shown).toMatch(/40\d {2}← PURGE \/mapping\/\+… .*(METHOD_NOT_ALLOWED|NOT_FOUND)/);
		expect(shown).toMatch(/--- {2}← agents.list .*\n {15}A fault broke the connection/);
		expect(shown.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
	});

	test("unless the doctor made it", async () => {
		const { gateway, lines } = createLoggedGateway();
		await diagnose(gateway);
		expect(lines()).toEqual([]);
	});

	test("of JSON for machines", async () => {
		const { gateway, lines } = createLoggedGateway({}, true);
		await gateway.mappings.get(ALICE).catch(() => undefined);
		expect(lines().map((line) => JSON.parse(line))).toMatchObject([
			{
				...{ request: "mappings.get", status: 404, code: "MAPPING_NOT_FOUND", durationMs: 0 },
				...{ cause: "not_found", reason: expect.any(String), fix: expect.any(String) },
			},
		]);
	});
});

describe("a page of another site", () => {
	function createLog(isJson = false) {
		const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
		const log = createPageLog(new Terminal({ isJson }));
		return { log, lines: () => output.mock.calls.map(([piece]) => stripVTControlCharacters(String(piece))) };
	}

	test("is a line for each origin, with what to do", () => {
		const { log, lines } = createLog();
		for (const origin of ["https://app.example", "https://app.example", "null"]) log(origin);
		const WAY_OUT =
			" {15}Only pages of this machine .* CORS\\.\n {15}Open the page under http://localhost, .*\n$";
		expect(lines()).toEqual([
			expect.stringMatching(new RegExp(`^.{8} {2}403 {2}← a page of https://app.example *\n${WAY_OUT}`)),
			expect.stringMatching(new RegExp(`^.{8} {2}403 {2}← a page of null *\n${WAY_OUT}`)),
		]);
	});

	test("is JSON for machines, and cannot fill the terminal", () => {
		const { log, lines } = createLog(true);
		for (let at = 0; at < 50; at++) log(`https://${at}.example`);
		expect(lines()).toHaveLength(20);
		expect(JSON.parse(lines()[0] ?? "")).toEqual({ page: "https://0.example", status: 403 });
	});
});

test("an attempt is a line, with the receiver's status, and below it why it failed", async () => {
	const responses = [
		() => new Response(null, { status: 503 }),
		() =>
			Promise.reject(
				new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNREFUSED" }) }),
			),
		() => new Response(),
	];
	const deliverTo = async () => (await responses.shift()?.()) ?? new Response();
	const { lines, receive } = createLoggedGateway({ deliverTo });
	await receive();
	const attempts = lines().filter((line) => line.includes("→"));
	expect(attempts).toEqual([
		expect.stringMatching(
			/ {2}503 {2}→ inbound_message .*0 ms {2}evt_\w+\n {15}The receiver failed with 503 .*\n.*\n$/,
		),
		expect.stringMatching(
			/ {2}--- {2}→ inbound_message .*0 ms {2}evt_\w+\n {15}Nobody listens at http:.*\n.*\n$/,
		),
		expect.stringMatching(/ {2}200 {2}→ inbound_message .*0 ms {2}evt_\w+\n$/),
	]);
});

test.each([
	[false, / {2}--- {2}→ inbound_message .*evt_\w+ {2}given up after 6 attempts\n$/],
	[true, /^\{"webhook":"inbound_message","eventId":"evt_\w+","state":"failed","attempts":6\}\n$/],
])("a delivery that is given up has a line that says so, with --json: %s", async (isJson, line) => {
	const { lines, receive } = createLoggedGateway(failing, isJson);
	await receive();
	expect(lines().filter((shown) => shown.includes("inbound_message"))).toHaveLength(7);
	expect(lines().at(-1)).toMatch(line);
});

test("the reason is told once, and a redelivery is one more line", async () => {
	const { control, local, lines, receive } = createLoggedGateway(failing);
	await receive();
	expect(lines().filter((line) => line.includes("The receiver failed"))).toHaveLength(1);
	const { length } = lines();
	await control.act({ type: "redeliver", eventId: local.deliveries[0]?.eventId ?? "" });
	await local.settled();
	expect(lines().slice(length)).toHaveLength(2);
});

test("an event without a webhook URL is a line that says so", async () => {
	const { lines, receive } = createLoggedGateway({ deliverTo: undefined });
	await receive();
	expect(lines().join("")).toMatch(/→ inbound_message .*kept.*\n {15}No webhook URL is registered/);
});

describe("a send is one line", () => {
	const send = ({ gateway }: ReturnType<typeof createLoggedGateway>, text = TEXT) =>
		gateway.messages.sendText({ to: ALICE, text });
	const refused: ControlledGatewayOptions = { deliverTo: () => new Response(null, { status: 503 }) };

	test.each<[outcome: string, ControlledGatewayOptions]>([
		["read → 3×200", {}],
		["read", { deliverTo: undefined }],
	])("with its statuses and their webhooks: %s", async (outcome, options) => {
		const world = createLoggedGateway(options);
		await send(world);
		await world.local.settled();
		expect(world.lines()).toEqual([
			expect.stringMatching(new RegExp(`← messages.sendText .* ${outcome}\n$`)),
		]);
	});

	test("with what has come after five seconds, and then a line for each webhook", async () => {
		const world = createLoggedGateway({ delays: { readMs: 10_000 } });
		await send(world);
		await world.clock.advance(5_000);
		expect(world.lines()).toEqual([expect.stringContaining(" delivered → 2×200")]);
		await world.local.settled();
		expect(world.lines().slice(1)).toEqual([expect.stringMatching(/ 200 {2}→ status .*evt_/)]);
	});

	test("that fails after its line, which is one more", async () => {
		const world = createLoggedGateway({ deliverTo: undefined, delays: { sentMs: 10_000 } });
		await world.gateway.messages.sendText({ to: FAILING, text: TEXT });
		await world.clock.advance(5_000);
		await world.local.settled();
		expect(world.lines()).toEqual([
			expect.stringContaining(" queued"),
			expect.stringMatching(/ --- {2}a message .* failed\n$/),
		]);
	});

	test("with why its webhooks fail, told once in a row, and what is given up", async () => {
		const world = createLoggedGateway({ ...refused, rules: "off" });
		for (const text of ["one", "two"]) await send(world, text);
		await world.local.settled();
		const lines = world.lines();
		expect(lines.filter((line) => line.includes("read → 503"))).toHaveLength(2);
		expect(lines.filter((line) => line.includes("The receiver failed with 503"))).toHaveLength(1);
		expect(lines.filter((line) => line.includes("given up after 6 attempts"))).toHaveLength(6);
		expect(lines).toHaveLength(8);
	});

	test("that fails, at once", async () => {
		const world = createLoggedGateway({ deliverTo: undefined });
		await world.gateway.messages.sendText({ to: FAILING, text: TEXT });
		await world.local.settled();
		expect(world.lines()).toEqual([expect.stringMatching(/ 202 {2}← messages.sendText .* failed\n$/)]);
	});

	test("that a terminal shows while it lasts, and only there", async () => {
		const world = createLoggedGateway({ deliverTo: undefined }, false, 80);
		await send(world);
		await world.clock.advance(50);
		expect(world.lines().at(-1)).toMatch(/← messages.sendText .* delivered$/);
		await world.local.settled();
		expect(world.lines().at(-1)).toMatch(/ read\n$/);
	});

	test("for machines is a line for each change", async () => {
		const { gateway, local, lines } = createLoggedGateway({ deliverTo: undefined }, true);
		await gateway.messages.sendText({ to: ALICE, text: TEXT });
		await local.settled();
		await local.contact(ALICE).react("love");
		await local.settled();
		const statuses = lines().flatMap((line) => JSON.parse(line).status ?? []);
		expect(statuses).toEqual(["queued", 202, "sent", "delivered", "read"]);
	});
});

describe("more lines than people can read", () => {
	const UNKNOWN = "+15557654321";

	test("are counted, with how they ended", async () => {
		const world = createLoggedGateway({ rules: "off" });
		for (let at = 0; at < 60; at++) await world.gateway.messages.sendText({ to: ALICE, text: `text ${at}` });
		await world.local.settled();
		world.end();
		expect(world.lines()).toHaveLength(52);
		expect(world.lines().at(-2)).toMatch(/ ← messages.sendText +10 more in 1 s: {2}10×read\n$/);
	});

	test("hide no kind of failure: its first is a line, the others are counted", async () => {
		const { gateway, lines, end } = createLoggedGateway({ deliverTo: undefined });
		for (let at = 0; at < 60; at++) await gateway.agents.list();
		for (let at = 0; at < 20; at++) await gateway.mappings.get(UNKNOWN).catch(() => undefined);
		end();
		expect(lines().filter((line) => / 404 {2}← mappings.get .*\n {15}\S/.test(line))).toHaveLength(1);
		expect(lines().join("")).toMatch(/← mappings.get .* {2}19×404\n {15}`npx .* log --failed`/);
	});

	test("count a send whose webhooks fail apart", async () => {
		const world = createLoggedGateway({ ...failing, rules: "off" });
		for (let at = 0; at < 60; at++) await world.gateway.messages.sendText({ to: ALICE, text: `text ${at}` });
		await world.local.settled();
		world.end();
		const shown = world.lines().join("");
		const told = shown.match(/ {2}read → 503/g) ?? [];
		const counted = [...shown.matchAll(/ (\d+)×read → 503/g)].reduce(
			(sum, [, times]) => sum + Number(times),
			0,
		);
		expect(told.length + counted).toBe(60);
		expect(shown).toMatch(/→ status .* \d+×given up/);
	});

	test("are counted until a period has few again, and then each is written", async () => {
		const world = createLoggedGateway({ deliverTo: undefined });
		for (let at = 0; at < 60; at++) await world.gateway.agents.list();
		await world.clock.advance(5_000);
		expect(world.lines().at(-1)).toMatch(/ ← agents.list +10 more in 5 s: {2}10×200\n$/);
		await world.gateway.agents.list();
		await world.clock.advance(5_000);
		expect(world.lines().at(-1)).toMatch(/ ← agents.list +1 more in 5 s: {2}1×200\n$/);
		await world.gateway.agents.list();
		expect(world.lines().at(-1)).toMatch(/ 200 {2}← agents.list /);
	});

	test("are a line that changes at the end of a terminal", async () => {
		const world = createLoggedGateway({ deliverTo: undefined }, false, 80);
		for (let at = 0; at < 60; at++) await world.gateway.agents.list();
		await world.clock.advance(100);
		expect(world.lines().at(-1)).toMatch(/ ← agents.list +10 more in 1 s: {2}10×200$/);
		await world.gateway.agents.list();
		await world.clock.advance(100);
		expect(world.lines().at(-1)).toMatch(/ 11 more in 1 s: {2}11×200$/);
	});

	test("about more subjects than a few are counted together", async () => {
		const { local, lines, end } = createLoggedGateway();
		for (let at = 0; at < 200; at++) await local.fetch(new Request(`${local.baseUrl}/no/such/path-${at}x`));
		end();
		expect(lines().filter((line) => / 404 {2}← GET /.test(line))).toHaveLength(50);
		expect(lines().filter((line) => line.includes(" more in ")).length).toBeLessThan(10);
		expect(lines().join("")).toMatch(/ others .* 14\d×404/);
	});
});

describe("the summary", () => {
	test.each<[what: string, lines: RegExp, ControlledGatewayOptions]>([
		["webhooks delivered", /^messages: 1 sent, 1 received\nwebhooks: 4 delivered, 0 failed\n$/, {}],
		[
			"no webhook URL",
			/^messages: 1 sent, 1 received\nwebhooks: 0 delivered, 0 failed, 4 kept until there is a URL\n$/,
			{ deliverTo: undefined },
		],
		[
			"a receiver that fails",
			/^messages: 1 sent, 1 received\nwebhooks: 0 delivered, 4 failed\nfailed most: → status, 18 times\n {15}The receiver failed with 503/,
			failing,
		],
	])("has the counts, what failed most and why, with %s", async (_, expected, options) => {
		const { gateway, local, lines, end, receive } = createLoggedGateway(options);
		await gateway.messages.sendText({ to: ALICE, text: TEXT });
		await local.settled();
		await receive();
		end();
		expect(lines().at(-1)).toMatch(expected);
		expect(lines().join("")).not.toContain(ALICE);
	});

	test("is an object for machines", async () => {
		const { lines, end, receive } = createLoggedGateway(failing, true);
		await receive();
		end();
		expect(JSON.parse(lines().at(-1) ?? "")).toMatchObject({
			summary: {
				messages: { sent: 0, received: 1 },
				webhooks: { delivered: 0, failed: 1, kept: 0 },
				failedMost: { what: "→ inbound_message", times: 6, cause: "server_failed" },
			},
		});
	});

	test("is absent if nothing happened", () => {
		const { lines, end } = createLoggedGateway();
		end();
		expect(lines()).toEqual([]);
	});
});

test("reasons are wrapped and indented to the width of a terminal", async () => {
	const { gateway, lines } = createLoggedGateway({}, false, 80);
	await gateway.mappings.get(ALICE).catch(() => undefined);
	const rows = lines().join("").split("\n").slice(1, -1);
	expect(rows.length).toBeGreaterThan(2);
	for (const row of rows) expect(row).toMatch(/^ {15}\S.{0,64}$/);
});
