import { diagnose } from "messaging-gateway/doctor";
import { beforeEach, describe, expect, test } from "vitest";
import { ASSUMED_LIMITS } from "../../../../src/library/catalogue/limits.ts";
import { readInput } from "../../../../src/tools/control/http/read-input.ts";
import { CONTROL_OPERATIONS } from "../../../../src/tools/control/operations.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import { ALICE, BOB } from "../../../support/signed-client.ts";

const FAILING = "+15559990009";

let world: WatchedGateway;

beforeEach(async () => {
	world = createWatchedGateway({ rules: "off", deliverTo: () => new Response(null, { status: 500 }) });
	const { gateway, local } = world;
	await gateway.messages.sendText({ to: ALICE, text: "First to Alice" });
	await gateway.messages.sendText({ to: BOB, text: "Second, to Bob" });
	await gateway.messages.sendText({ to: ALICE, text: "Third to Alice" });
	await gateway.agents.get("+15550009999").catch(() => undefined);
	await local.settled();
});

const texts = (query: Parameters<WatchedGateway["control"]["messages"]>[0]) =>
	world.control.messages(query).items.map(({ text }) => text);

test("the doctor's requests are marked, and can be left out", async () => {
	await diagnose(world.gateway);
	const requestsOf = (probe?: boolean) => world.control.requests({ probe }).items;
	expect(requestsOf(true).map(({ probe }) => probe)).toEqual(Array(10).fill(true));
	expect(requestsOf(false).every(({ probe }) => probe === undefined)).toBe(true);
	expect(requestsOf()).toHaveLength(requestsOf(true).length + requestsOf(false).length);
	expect(requestsOf(false)).toHaveLength(4);
	expect(world.control.messages({ probe: false }).items).toHaveLength(3);
});

describe("a page", () => {
	/** A query by the places of messages, from 0 on. */
	type Places = { limit?: number; before?: number; after?: number };

	test.each<[string, Places, shown: number[], older: number, newer: number]>([
		[
			"has the youngest items, the oldest of them first, and counts the older ones",
			{ limit: 2 },
			[1, 2],
			1,
			0,
		],
		["continues before an item", { before: 1 }, [0], 0, 2],
		["continues after an item, with the oldest", { after: 0, limit: 1 }, [1], 1, 1],
		["lies between two items", { after: 0, before: 2 }, [1], 1, 1],
		["may be empty at the end", { after: 2 }, [], 3, 0],
		["may be empty at the beginning", { before: 0 }, [], 0, 3],
	])("%s", (_what, { limit, ...places }, shown, older, newer) => {
		const { items } = world.control.messages({});
		const between = Object.entries(places).map(([name, at]) => [name, items[at]?.sequence]);
		const page = world.control.messages({ limit, ...Object.fromEntries(between) });
		expect(page).toEqual({ items: shown.map((at) => items[at]), older, newer });
	});

	test("counts only what the query selects", () => {
		expect(world.control.messages({ conversation: ALICE, limit: 1 }).older).toBe(1);
		expect(world.control.deliveries({ conversation: BOB }).items.length).toBeGreaterThan(0);
		expect(world.control.deliveries({ conversation: "nobody" })).toEqual({ items: [], older: 0, newer: 0 });
	});

	test("of one kind", async () => {
		await world.local.contact(ALICE).reply("Hi");
		const kinds = new Set(
			world.control.deliveries({ kind: "inbound_message" }).items.map(({ kind }) => kind),
		);
		expect([...kinds]).toEqual(["inbound_message"]);
		expect(world.control.messages({ kind: "voice" }).items).toEqual([]);
	});
});

describe("a search", () => {
	test.each([
		["a text, in any case", "SECOND", ["Second, to Bob"]],
		["a number", BOB.slice(5), ["Second, to Bob"]],
		["nothing", "no such text", []],
	])("finds %s", (_what, search, expected) => expect(texts({ search })).toEqual(expected));

	test("finds ids", () => {
		const [message] = world.control.messages({}).items;
		expect(texts({ search: message?.messageId })).toEqual([message?.text]);
		expect(texts({ search: message?.messageGuid ?? "none" })).toEqual([message?.text]);
		const [delivery] = world.control.deliveries({}).items;
		expect(world.control.deliveries({ search: delivery?.eventId }).items).toHaveLength(1);
		const [request] = world.control.requests({}).items;
		expect(world.control.requests({ search: request?.requestId }).items).toEqual([request]);
	});

	test("finds requests by operation, path and bodies", () => {
		expect(world.control.requests({ search: "messages.sendtext" }).items).toHaveLength(3);
		expect(world.control.requests({ search: "third to alice" }).items).toHaveLength(1);
		expect(world.control.requests({ search: "5550009999" }).items).toHaveLength(1);
	});
});

describe("what failed", () => {
	test("are rejected requests and failed attempts", () => {
		expect(world.control.requests({ failed: true }).items).toMatchObject([{ status: 404 }]);
		const all = world.control.deliveries({}).items;
		expect(world.control.deliveries({ failed: true }).items).toEqual(all);
	});

	test("are failed messages", async () => {
		expect(texts({ failed: true })).toEqual([]);
		await world.gateway.messages.sendText({ to: FAILING, text: "Fails" });
		await world.local.settled();
		const failed = world.control.messages({}).items.filter(({ status }) => status === "failed");
		expect(world.control.messages({ failed: true }).items).toEqual(failed);
	});
});

describe("a request", () => {
	test("has its headers without the signature, and both bodies", () => {
		const [view] = world.control.requests({ search: "third to alice" }).items;
		const details = world.control.request(view?.requestId ?? "");
		expect(details).toMatchObject({ ...view, headers: { authorization: "HMAC ***" }, query: "" });
		expect(JSON.parse(details.body)).toMatchObject({ text: "Third to Alice" });
		expect(JSON.parse(details.responseBody ?? "")).toMatchObject({
			ok: true,
			meta: { requestId: view?.requestId },
		});
	});

	test("has the result of its signature check, if there was one", async () => {
		const resultOf = (search: string) => {
			const [view] = world.control.requests({ search, limit: 1 }).items;
			return world.control.request(view?.requestId ?? "").signature;
		};
		expect(resultOf("third to alice")).toBe("accepted");
		await world.gateway.health.check();
		expect(resultOf("health.check")).toBeUndefined();
		world.local.faults.respond({ status: 401, operationId: "queue.getStatus" });
		await world.gateway.queue.getStatus().catch(() => undefined);
		expect(resultOf("queue.getStatus")).toBeUndefined();
		const init = { headers: { authorization: "HMAC 00" } };
		await world.local.fetch(new Request(`${world.local.baseUrl}/agent`, init));
		expect(resultOf("agents.list")).toBe("rejected");
	});

	test("is not found after a reset", () => {
		const [view] = world.control.requests({}).items;
		world.local.reset();
		expect(() => world.control.request(view?.requestId ?? "")).toThrow("No request has this id");
		expect(world.control.requests({})).toEqual({ items: [], older: 0, newer: 0 });
	});
});

test("the last 1,000 requests are kept", async () => {
	const { gateway, control } = world;
	for (let count = 0; count < 1_010; count++) await gateway.health.check();
	expect(control.requests({ limit: 1 }).older).toBe(999);
	expect(control.requests({ search: "messages.sendText" }).items).toEqual([]);
});

describe("a query", () => {
	const parse = (query: string) =>
		readInput(
			CONTROL_OPERATIONS.listMessages,
			new Request(`http://localhost/_local/messages?${query}`),
			{ parameters: {} },
			{ limits: ASSUMED_LIMITS, profile: {} },
		);

	test("is read from parameters, of which an empty one is absent", async () => {
		expect(
			await parse("before=9&limit=500&conversation=%2B1555&failed=true&probe=false&search=a%20b"),
		).toEqual({
			before: 9,
			limit: 500,
			conversation: "+1555",
			failed: true,
			probe: false,
			search: "a b",
		});
		expect(await parse("limit=&search=")).toEqual({});
	});

	testOutcomes<string>(
		{
			"limit must be an integer from 1 to 500.": {
				"a page of none": "limit=0",
				"a page of 501": "limit=501",
			},
			"limit must be a number.": { "two sizes of a page": "limit=1&limit=2" },
			"after must be an integer from 1 to 4503599627370496.": { "after nothing": "after=0" },
			"before must be an integer from 1 to 4503599627370496.": { "before a negative number": "before=-1" },
			"before must be a number.": { "before a number in another form": "before=1e3" },
			"failed must be a boolean.": { "a flag in another word": "failed=yes" },
			"It has an unknown field (hidden, since a name may be a secret): use before, after, limit, conversation, kind, failed, probe, search.":
				{
					"the name of a method": "toString=1",
				},
		},
		async (query) => ((await catchRejection(parse(query))) as Error).message,
	);
});
