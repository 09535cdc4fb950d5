import fc from "fast-check";
import { expect, test } from "vitest";
import { createPageClient } from "../../../../../src/tools/console/control-client.ts";
import {
	hasFailed,
	loadEntries,
	newestFirst,
	toEntry,
} from "../../../../../src/tools/console/conversations/state/entries.ts";
import type { Page, PageQuery } from "../../../../../src/tools/control/contract.ts";
import { CONTROL_VERSION, CONTROL_VERSION_HEADER } from "../../../../../src/tools/control/contract.ts";
import { readPage } from "../../../../../src/tools/control/read-page.ts";
import { cases } from "../../../../support/cases.ts";
import { attemptView, deliveryView, messageView, requestView } from "../../../../support/console-views.ts";

const KINDS = ["messages", "deliveries", "requests"] as const;
type Kind = (typeof KINDS)[number];

/** A client of a gateway that has an item of each kind at these places. */
function clientOf(kinds: readonly Kind[]) {
	const items = { messages: messageView, deliveries: deliveryView, requests: requestView };
	const listOf = (kind: Kind) =>
		kinds.flatMap((known, at) => (known === kind ? [items[kind]({ sequence: at + 1 })] : []));
	return createPageClient("token", async (url) => {
		const { pathname, searchParams } = new URL(url, "http://localhost");
		const numbers = Array.from(searchParams, ([name, value]) => [name, Number(value)]);
		const query: PageQuery = Object.fromEntries(numbers);
		const kind = KINDS.find((known) => pathname === `/_local/${known}`) ?? "messages";
		const headers = { [CONTROL_VERSION_HEADER]: CONTROL_VERSION };
		return Response.json(read<{ readonly sequence: number }>(listOf(kind), query), { headers });
	});
}

function read<Item extends { readonly sequence: number }>(
	items: readonly Item[],
	query: PageQuery,
): Page<Item> {
	return readPage(items, query, { isFailed: () => false, textsOf: () => [] });
}

test("pages of the three lists are those of one list of all", async () => {
	const kind = fc.constantFrom(...KINDS);
	const query = fc.record(
		{ before: fc.nat(30), after: fc.nat(30), limit: fc.integer({ min: 1, max: 10 }) },
		{ requiredKeys: ["limit"] },
	);
	await fc.assert(
		fc.asyncProperty(fc.array(kind, { maxLength: 25 }), query, async (kinds, asked) => {
			const { items, older, newer } = await loadEntries(clientOf(kinds), asked);
			const expected = read(
				kinds.map((_, at) => ({ sequence: at + 1 })),
				asked,
			);
			expect(items.map(({ sequence }) => sequence)).toEqual(expected.items.map(({ sequence }) => sequence));
			expect({ older, newer }).toEqual({ older: expected.older, newer: expected.newer });
		}),
		{ numRuns: cases(100) },
	);
});

test("an entry is what a change is about", () => {
	const request = requestView({ sequence: 3 });
	expect(toEntry({ type: "request", request })).toMatchObject({ kind: "request", sequence: 3 });
	expect(toEntry({ type: "delivery", delivery: deliveryView() })).toMatchObject({ kind: "webhook" });
	expect(toEntry({ type: "faults", faults: [] })).toBeUndefined();
});

test("an entry has failed as the gateway selects it: a webhook also if it was delivered later", () => {
	const diagnosis = { cause: "unreachable", reason: "", fix: "", remedies: [] } as const;
	const entries = (isFailed: boolean) => [
		toEntry({ type: "message", message: messageView({ status: isFailed ? "failed" : "sent" }) }),
		toEntry({ type: "request", request: requestView(isFailed ? { diagnosis } : { status: 200 }) }),
		toEntry({
			type: "delivery",
			delivery: deliveryView({
				state: "delivered",
				attempts: [attemptView(isFailed ? { diagnosis } : {}), attemptView({ status: 200 })],
			}),
		}),
	];
	const failed = (isFailed: boolean) => entries(isFailed).map((entry) => entry && hasFailed(entry));
	expect(failed(true)).toEqual([true, true, true]);
	expect(failed(false)).toEqual([false, false, false]);
});

test("what is found is the newest first, but a message before its webhooks", () => {
	const found = [
		toEntry({ type: "message", message: messageView({ sequence: 1, messageId: "a" }) }),
		toEntry({ type: "request", request: requestView({ sequence: 2 }) }),
		toEntry({ type: "delivery", delivery: deliveryView({ sequence: 3, messageId: "a" }) }),
		toEntry({ type: "delivery", delivery: deliveryView({ sequence: 4, messageId: "gone" }) }),
		toEntry({ type: "delivery", delivery: deliveryView({ sequence: 5, messageId: "a" }) }),
		toEntry({ type: "request", request: requestView({ sequence: 6 }) }),
	].filter((entry) => entry !== undefined);
	expect(newestFirst(found).map(({ sequence }) => sequence)).toEqual([6, 1, 3, 5, 4, 2]);
});

test("only messages are loaded, if only they are asked for", async () => {
	const { items, older } = await loadEntries(clientOf(["requests", "messages", "deliveries"]), {
		limit: 10,
		isOnlyMessages: true,
	});
	expect([items.map(({ kind }) => kind), older]).toEqual([["message"], 0]);
});
