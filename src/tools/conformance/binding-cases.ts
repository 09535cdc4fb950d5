import type { EventStore } from "../../library/stores/event-store.ts";
import { type StoreCase, type StoreSubject, same } from "./store-case.ts";

/** How long records last in the cases; a store whose clock cannot be moved needs a short time. */
export interface RememberingCaseTimes {
	/** How long a record lasts, in milliseconds. @default 600_000 */
	ttlMs?: number | undefined;
}

function rule(
	name: string,
	check: (subject: StoreSubject<Required<EventStore>>) => Promise<void>,
): StoreCase<Required<EventStore>> {
	return { name, run: async (createSubject) => check(await createSubject()) };
}

/** The rules of an event store that binds deliveries to event ids. */
export function bindingCases({
	ttlMs = 600_000,
}: RememberingCaseTimes = {}): readonly StoreCase<Required<EventStore>>[] {
	return [
		rule("bind returns the id that came first, to everyone", async ({ store }) => {
			same(await store.bind("a", "evt_1", ttlMs), "evt_1", "the first");
			same(await store.bind("a", "evt_2", ttlMs), "evt_1", "another");
			same(await store.bind("a", "evt_1", ttlMs), "evt_1", "the first again");
		}),
		rule("of many concurrent bindings of a delivery one counts", async ({ store }) => {
			const all = Array.from({ length: 50 }, (_, at) => store.bind("a", `evt_${at}`, ttlMs));
			same(new Set(await Promise.all(all)).size, 1, "ids");
		}),
		rule("deliveries are bound apart", async ({ store }) => {
			same(await store.bind("a", "evt_1", ttlMs), "evt_1", "one");
			same(await store.bind("b", "evt_2", ttlMs), "evt_2", "another one");
		}),
		rule("an id comes back unchanged, whatever its characters are", async ({ store }) => {
			for (const id of [
				"1",
				"007",
				"1e3",
				"true",
				"null",
				"{}",
				'"',
				"'",
				"\\",
				"=",
				"%s",
				"$1",
				"x".repeat(256),
			]) {
				same(await store.bind(`digest of ${id}`, id, ttlMs), id, "at first");
				same(await store.bind(`digest of ${id}`, "evt_2", ttlMs), id, "again");
			}
		}),
		rule("a binding ends with its time, and a repeat does not prolong it", async ({ store, advance }) => {
			await store.bind("a", "evt_1", ttlMs);
			await advance(ttlMs * 0.9);
			same(await store.bind("a", "evt_2", ttlMs), "evt_1", "before");
			await advance(ttlMs * 0.1 + 1);
			same(await store.bind("a", "evt_2", ttlMs), "evt_2", "after");
		}),
		rule("a binding is no event", async ({ store }) => {
			await store.bind("default:evt_1", "evt_2", ttlMs);
			same(await store.bind("default:evt_2", "evt_1", ttlMs), "evt_1", "another one");
		}),
	];
}
