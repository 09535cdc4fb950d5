import { stripVTControlCharacters } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createChangeLog, createPageLog } from "../../../../src/tools/cli/dev/log-changes.ts";
import { Terminal } from "../../../../src/tools/cli/terminal.ts";
import type { ControlledGatewayOptions } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { ALICE } from "../../../support/signed-client.ts";

const TEXT = "a text of the application";

afterEach(() => vi.restoreAllMocks());

/** A gateway whose changes are logged, and the lines so far. */
function createLoggedGateway(options: ControlledGatewayOptions = {}, isJson = false) {
	const world = createWatchedGateway(options);
	const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
	world.control.subscribe(createChangeLog(new Terminal({ isJson })));
	const lines = () => output.mock.calls.map(([piece]) => stripVTControlCharacters(String(piece)));
	const receive = async () => {
		await world.local.contact(ALICE).reply("Hi");
		await world.local.settled();
	};
	return { ...world, lines, receive };
}

const failing: ControlledGatewayOptions = { deliverTo: () => new Response(null, { status: 503 }) };

describe("a request is a line", () => {
	test("with its time, status and operation, and why it was rejected", async () => {
		const { gateway, lines } = createLoggedGateway({ deliverTo: undefined });
		await gateway.messages.sendText({ to: ALICE, text: TEXT });
		await gateway.messages.sendText({ to: ALICE, text: TEXT }).catch(() => undefined);
		await gateway.agents.list();
		const requests = lines().filter((line) => line.includes("←"));
		expect(requests).toEqual([
			expect.stringMatching(/^\d\d:\d\d:\d\d {2}202 {2}← messages.sendText {15}0 ms {2}[0-9a-f]{8}\n$/),
			expect.stringMatching(
				/^\d\d:\d\d:\d\d {2}409 {2}← messages.sendText .*0 ms {2}[0-9a-f]{8} {2}DUPLICATE_MESSAGE\n {15}The duplicate rule .+\n {15}Let the contact reply .+\n$/,
			),
			expect.stringMatching(/^\d\d:\d\d:\d\d {2}200 {2}← agents.list .*0 ms {2}[0-9a-f]{8}\n$/),
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

test("a message is one line for each new status", async () => {
	const { gateway, local, lines } = createLoggedGateway({ deliverTo: undefined });
	await gateway.messages.sendText({ to: ALICE, text: TEXT });
	await local.settled();
	await local.contact(ALICE).react("love");
	await local.settled();
	const statuses = lines().flatMap((line) => /message [\w-]+ (\w+)/.exec(line)?.[1] ?? []);
	expect(statuses).toEqual(["queued", "sent", "delivered", "read"]);
});
