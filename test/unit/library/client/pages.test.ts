import type { ListMappingsInput } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { AGENT, errorResponse, html, MAPPING, MESSAGE, ok, REQUEST_ID, USER } from "../../../support/wire.ts";
import { describeError } from "./call-ending.ts";

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

	test("signs each page again, under the cursor of the one before", async () => {
		const { gateway, requests } = scriptGateway(threePages());
		await counts(gateway.mappings.list());
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

	test("that fails on its second page has given the first one's items", async () => {
		const { gateway } = scriptGateway([page("c-1", 1, 2), errorResponse(404)]);
		const found: number[] = [];
		const run = async () => {
			for await (const { outbound } of gateway.mappings.list()) found.push(outbound);
		};
		expect(await catchRejection(run())).toMatchObject({ code: "not_found", operationId: "mappings.list" });
		expect(found).toEqual([1, 2]);
	});

	test("can be iterated twice", async () => {
		const { gateway } = scriptGateway([page(null, 1, 2)]);
		const list = gateway.mappings.list();
		expect(await counts(list)).toEqual([1, 2]);
		expect(await counts(list)).toEqual([1, 2]);
	});
});

interface Listed {
	readonly steps: readonly Step[];
	readonly input?: ListMappingsInput;
	/** How many items are asked for as an array; by default all are iterated. */
	readonly limit?: unknown;
}

/** The items of a list, or the error that it ends in, and how many pages were fetched. */
async function itemsOf({ steps, input = {}, ...options }: Listed): Promise<string> {
	const { gateway, requests } = scriptGateway(steps, { maxRetries: 0 });
	const list = gateway.mappings.list(input);
	const items =
		"limit" in options
			? list.toArray(options as { limit: number }).then((all) => all.map(({ outbound }) => outbound))
			: counts(list);
	const ending = await items.then((all) => `[${all}]`, describeError);
	return `${ending} of ${requests.length}`;
}

/** Pages without items, each with a cursor of its own, then this one. */
function empties(count: number, last: Response): Step[] {
	return [...Array.from({ length: count }, (_, at) => page(`e-${count}-${at}`)), last];
}

const iterated = (...steps: readonly Step[]): Listed => ({ steps });
const upTo = (limit: unknown, steps: readonly Step[] = threePages()): Listed => ({ steps, limit });
const NO_ARRAY = "ResponseShapeError unexpected_response 200, accepted: mappings must be an array of 1";
const TOO_EMPTY =
	"ResponseShapeError unexpected_response 200, accepted: mappings is empty on 100 pages in a row of 100";

const ITEMS: Outcomes<Listed> = {
	"[1,2,3,4,5] of 3": {
		"three pages, in order": iterated(...threePages()),
		"as many as there are, as an array": upTo(5),
		"more than there are": upTo(100),
	},
	"[] of 1": { "none, as an array": upTo(0), "a list without items": iterated(page(null)) },
	"[1] of 1": {
		one: upTo(1),
		"a cursor like that of the first page": {
			steps: [page("start", 1), page("start", 2)],
			input: { cursor: "start" },
		},
	},
	"[1,2] of 1": { "as many as the first page has": upTo(2) },
	"[1,2,3] of 2": { "one more": upTo(3) },
	"[1,2,3,4] of 2": { "as many as two pages have": upTo(4) },
	"[9] of 1": {
		"a cursor that is null": iterated(page(null, 9)),
		"a cursor that is an empty text": iterated(page("", 9)),
		"a cursor that is missing": iterated(ok({ mappings: [mapping(9)] })),
		"a cursor that is a number": iterated(ok({ mappings: [mapping(9)], nextCursor: 7 })),
	},
	"[1] of 2": { "an empty page with a cursor": iterated(page("c-1"), page(null, 1)) },
	"[1,2] of 2": { "a cursor that repeats": iterated(page("c-1", 1), page("c-1", 2)) },
	"[1,2,3] of 3": {
		"cursors that go round": iterated(page("a", 1), page("b", 2), page("a", 3), page("b", 4)),
	},
	"[7] of 100": {
		"99 empty pages, each with another cursor": iterated(...empties(99, page(null, 7))),
		"99 of them, as an array": upTo(5, empties(99, page(null, 7))),
	},
	"[1,2] of 151": {
		"a page with items between such pages": iterated(
			...empties(89, page("c-90", 1)),
			...empties(60, page(null, 2)),
		),
	},
	[TOO_EMPTY]: {
		"100 of them": iterated(...empties(100, page(null, 7))),
		"100 of them, as an array": upTo(5, empties(100, page(null, 7))),
	},
	[NO_ARRAY]: {
		"no items": iterated(ok({})),
		"items that are null": iterated(ok({ mappings: null, nextCursor: null })),
		"items that are a text": iterated(ok({ mappings: "abc", nextCursor: null })),
		"data that is null": iterated(ok(null)),
		"data that is a list": iterated(ok([1])),
		"no items, as an array": upTo(3, [ok({})]),
	},
	"PermissionDeniedError permission_denied 403 SOME_CODE, rejected of 1": {
		"a rejection": iterated(errorResponse(403)),
		"a rejection, as an array": upTo(3, [errorResponse(403)]),
		"a rejection, for none": upTo(0, [errorResponse(403)]),
	},
	"ConfigurationError configuration, not_sent of 0": Object.fromEntries(
		[-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", undefined].flatMap((limit) => [
			[`a limit of ${limit}`, upTo(limit)],
			[`a limit of ${limit}, and a rejection`, upTo(limit, [errorResponse(404)])],
		]),
	),
};

describe("the items of a list", () => {
	testOutcomes(ITEMS, itemsOf);

	test("that cannot be iterated are an error of the page that holds none", async () => {
		const { gateway } = scriptGateway([page("c-1", 1), ok({ mappings: 7 })]);
		const error = Object(await catchRejection(counts(gateway.mappings.list())));
		expect(error).toMatchObject({
			operationId: "mappings.list",
			message:
				"mappings.list can't be iterated: mappings must be an array. error.readBody() returns the raw body",
			attempts: 1,
			clockOffsetMs: 0,
			requestId: REQUEST_ID,
		});
		expect(error.readBody()).toContain('"mappings":7');
	});

	test("without any options are rejected", async () => {
		const { gateway } = scriptGateway([page(null, 1)]);
		const all = gateway.mappings.list().toArray(undefined as never);
		expect(await catchRejection(all)).toMatchObject({ code: "configuration" });
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
