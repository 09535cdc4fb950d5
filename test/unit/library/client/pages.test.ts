import type { MessagingGateway } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { AGENT, errorResponse, html, MAPPING, MESSAGE, ok, USER } from "../../../support/wire.ts";

const mapping = (outbound: number) => ({ ...MAPPING, outbound });
const page = (nextCursor: string | null, ...counts: number[]) =>
	ok({ mappings: counts.map(mapping), nextCursor });

const threePages = () => [page("c-1", 1, 2), page("c-2", 3, 4), page(null, 5)];

async function counts(list: AsyncIterable<{ outbound: number }>): Promise<number[]> {
	const found: number[] = [];
	for await (const { outbound } of list) found.push(outbound);
	return found;
}

describe("a list", () => {
	test("awaited is its first page, also with its response", async () => {
		const { gateway, requests } = scriptGateway(threePages());
		const list = gateway.mappings.list();
		expect(await list).toEqual({ mappings: [mapping(1), mapping(2)], nextCursor: "c-1" });
		const { data, attempts, response } = await list.withResponse();
		expect([data, attempts, response.status]).toEqual([await list, 1, 200]);
		expect(requests).toHaveLength(1);
	});

	test("iterated is all items of all pages, in order, each page signed again", async () => {
		const { gateway, requests } = scriptGateway(threePages());
		expect(await counts(gateway.mappings.list())).toEqual([1, 2, 3, 4, 5]);
		expect(requests.map(({ url }) => new URL(url).search)).toEqual(["", "?cursor=c-1", "?cursor=c-2"]);
		expect(new Set(requests.map(({ headers }) => headers.get("X-Nonce"))).size).toBe(3);
	});

	test("passes filter and options on to every page", async () => {
		const { gateway, requests } = scriptGateway([
			ok({ messages: [MESSAGE], nextCursor: "c-1" }),
			ok({ messages: [MESSAGE], nextCursor: null }),
		]);
		const list = gateway.analytics.listMessages(
			USER,
			{ agentNumber: AGENT, limit: 1 },
			{ headers: { "X-Trace": "t" } },
		);
		expect(await list.toArray({ limit: 10 })).toEqual([MESSAGE, MESSAGE]);
		for (const { url, headers } of requests) {
			expect(new URL(url).pathname).toBe("/analytics/conversation/%2B15551234567");
			expect(new URL(url).searchParams.get("agentNumber")).toBe(AGENT);
			expect(new URL(url).searchParams.get("limit")).toBe("1");
			expect(headers.get("X-Trace")).toBe("t");
		}
		expect(new URL(requests[1]?.url ?? "").searchParams.get("cursor")).toBe("c-1");
	});

	test("retries a later page like the first", async () => {
		const { gateway, clock, requests } = scriptGateway([page("c-1", 1), html(502), page(null, 2)]);
		expect(await settle(clock, counts(gateway.mappings.list()))).toEqual([1, 2]);
		expect(requests).toHaveLength(3);
	});

	test("fetches a page only when it is needed", async () => {
		const { gateway, requests } = scriptGateway(threePages());
		for await (const { outbound } of gateway.mappings.list()) if (outbound === 2) break;
		expect(requests).toHaveLength(1);
	});

	test("goes past an empty page that has a cursor", async () => {
		const { gateway } = scriptGateway([page("c-1"), page(null, 1)]);
		expect(await counts(gateway.mappings.list())).toEqual([1]);
	});

	test.each<[title: string, last: Step, next?: unknown]>([
		["null", page(null, 9)],
		["an empty text", page("", 9)],
		["missing", ok({ mappings: [mapping(9)] })],
		["a number", ok({ mappings: [mapping(9)], nextCursor: 7 })],
	])("ends where the cursor is %s", async (_title, last) => {
		const { gateway, requests } = scriptGateway([last]);
		expect(await counts(gateway.mappings.list())).toEqual([9]);
		expect(requests).toHaveLength(1);
	});

	test("ends when a cursor repeats", async () => {
		const same = scriptGateway([page("c-1", 1), page("c-1", 2)]);
		expect(await counts(same.gateway.mappings.list())).toEqual([1, 2]);
		const round = scriptGateway([page("a", 1), page("b", 2), page("a", 3), page("b", 4)]);
		expect(await counts(round.gateway.mappings.list())).toEqual([1, 2, 3]);
		const own = scriptGateway([page("start", 1), page("start", 2)]);
		expect(await counts(own.gateway.mappings.list({ cursor: "start" }))).toEqual([1]);
	});

	describe("whose pages stay empty, each with another cursor", () => {
		test("goes past 99 of them", async () => {
			let left = 99;
			const step: Step = () => (left-- > 0 ? page(`c-${left}`) : page(null, 7));
			const { gateway, requests } = scriptGateway([step]);
			expect(await gateway.mappings.list().toArray({ limit: 5 })).toEqual([mapping(7)]);
			expect(requests).toHaveLength(100);
		});

		test("starts counting again at each page with items", async () => {
			let count = 0;
			const step: Step = () => {
				count += 1;
				if (count === 150) return page(null, 2);
				return count === 90 ? page("c-90", 1) : page(`c-${count}`);
			};
			const { gateway } = scriptGateway([step]);
			expect(await counts(gateway.mappings.list())).toEqual([1, 2]);
		});

		test.each<
			[title: string, read: (list: ReturnType<MessagingGateway["mappings"]["list"]>) => Promise<unknown>]
		>([
			["iterated", counts],
			["as an array", (list) => list.toArray({ limit: 5 })],
		])("ends after 100 in a row with a typed error, %s", async (_title, read) => {
			let count = 0;
			const { gateway, requests } = scriptGateway(
				[() => (count < 1_000 ? page(`c-${count++}`) : errorResponse(500))],
				{ maxRetries: 0 },
			);
			const error = (await catchRejection(read(gateway.mappings.list()))) as Error;
			expect(error).toMatchObject({
				code: "unexpected_response",
				operationId: "mappings.list",
				status: 200,
				issues: [{ path: "mappings", message: "is empty on 100 pages in a row" }],
			});
			expect(requests).toHaveLength(100);
		});
	});

	test("that fails on its second page has given the first one's items", async () => {
		const { gateway } = scriptGateway([page("c-1", 1, 2), errorResponse(404)]);
		const found: number[] = [];
		const run = async () => {
			for await (const { outbound } of gateway.mappings.list()) found.push(outbound);
		};
		expect(await catchRejection(run())).toMatchObject({ code: "not_found", operationId: "mappings.list" });
		expect(found).toEqual([1, 2]);
	});

	test.each<[title: string, data: unknown]>([
		["nothing", {}],
		["null", { mappings: null, nextCursor: null }],
		["a text", { mappings: "abc", nextCursor: null }],
		["data that is null", null],
		["data that is a list", [1]],
	])("whose response has %s instead cannot be iterated, which is a typed error", async (_title, data) => {
		const { gateway } = scriptGateway([ok(data)]);
		const error = (await catchRejection(counts(gateway.mappings.list()))) as Error;
		expect(error).toMatchObject({
			code: "unexpected_response",
			operationId: "mappings.list",
			status: 200,
			outcome: "accepted",
			attempts: 1,
			issues: [{ path: "mappings", message: "must be an array" }],
		});
	});

	test("can be iterated twice", async () => {
		const { gateway } = scriptGateway([page(null, 1, 2)]);
		const list = gateway.mappings.list();
		expect(await counts(list)).toEqual([1, 2]);
		expect(await counts(list)).toEqual([1, 2]);
	});
});

describe("toArray", () => {
	test.each([
		[0, [], 1],
		[1, [1], 1],
		[2, [1, 2], 1],
		[3, [1, 2, 3], 2],
		[4, [1, 2, 3, 4], 2],
		[5, [1, 2, 3, 4, 5], 3],
		[100, [1, 2, 3, 4, 5], 3],
	])("of %i has %j, from %i pages", async (limit, expected, pages) => {
		const { gateway, requests } = scriptGateway(threePages());
		const items = await gateway.mappings.list().toArray({ limit });
		expect(items.map(({ outbound }) => outbound)).toEqual(expected);
		expect(requests).toHaveLength(pages);
	});

	test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", undefined, "no options"])(
		"of %s is rejected",
		async (limit) => {
			const options = limit === "no options" ? undefined : { limit };
			for (const step of [page(null, 1), errorResponse(404)]) {
				const { gateway } = scriptGateway([step]);
				const error = await catchRejection(gateway.mappings.list().toArray(options as never));
				expect(error).toMatchObject({ code: "configuration" });
			}
		},
	);

	test("fails as the call does, also for none", async () => {
		for (const limit of [0, 3]) {
			const { gateway } = scriptGateway([errorResponse(403)]);
			expect(await catchRejection(gateway.mappings.list().toArray({ limit }))).toMatchObject({
				code: "permission_denied",
			});
		}
	});
});

test.each([
	["agents.list", "agents", (gateway: ReturnType<typeof scriptGateway>["gateway"]) => gateway.agents.list()],
	[
		"analytics.listContacts",
		"contacts",
		(gateway: ReturnType<typeof scriptGateway>["gateway"]) => gateway.analytics.listContacts(),
	],
] as const)("%s iterates its %s", async (_id, items, list) => {
	const { gateway } = scriptGateway([
		ok({ [items]: [{ n: 1 }], nextCursor: "c" }),
		ok({ [items]: [{ n: 2 }], nextCursor: null }),
	]);
	const found: unknown[] = [];
	for await (const item of list(gateway)) found.push(item);
	expect(found).toEqual([{ n: 1 }, { n: 2 }]);
});
