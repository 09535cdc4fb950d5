import { type EventStoreCase, same } from "./event-store-suite.ts";

const TTL_MS = 600_000;

function rule(
	name: string,
	check: (
		bind: (digest: string, eventId: string) => Promise<string>,
		advance: (ms: number) => Promise<void>,
	) => Promise<void>,
): EventStoreCase {
	return {
		name,
		async run(createStore) {
			const { store, advance } = await createStore();
			if (store.bind === undefined) throw new Error("the store has no bind");
			await check(async (digest, eventId) => (await store.bind?.(digest, eventId, TTL_MS)) ?? "", advance);
		},
	};
}

/** The rules of a store that binds signatures to event ids. */
export const bindingCases: readonly EventStoreCase[] = [
	rule("bind returns the id that came first, to everyone", async (bind) => {
		same(await bind("a", "evt_1"), "evt_1", "the first");
		same(await bind("a", "evt_2"), "evt_1", "another");
		same(await bind("a", "evt_1"), "evt_1", "the first again");
	}),
	rule("of many concurrent bindings of a signature one counts", async (bind) => {
		const ids = await Promise.all(Array.from({ length: 50 }, (_, at) => bind("a", `evt_${at}`)));
		same(new Set(ids).size, 1, "ids");
	}),
	rule("signatures are bound apart", async (bind) => {
		same(await bind("a", "evt_1"), "evt_1", "one");
		same(await bind("b", "evt_2"), "evt_2", "another one");
	}),
	rule("a binding ends with its time, and a repeat does not prolong it", async (bind, advance) => {
		await bind("a", "evt_1");
		await advance(TTL_MS - 1_000);
		same(await bind("a", "evt_2"), "evt_1", "before");
		await advance(1_001);
		same(await bind("a", "evt_2"), "evt_2", "after");
	}),
	rule("a binding is no event", async (bind) => {
		await bind("default:evt_1", "evt_2");
		same(await bind("default:evt_2", "evt_1"), "evt_1", "another one");
	}),
];
