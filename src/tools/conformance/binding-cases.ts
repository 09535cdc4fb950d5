import type { BindingStore, BoundClaim, EventStore } from "../../library/stores/event-store.ts";
import { type StoreCase, type StoreSubject, same } from "./store-case.ts";

/** How long records last in the cases; a store whose clock cannot be moved needs a short time. */
export interface RememberingCaseTimes {
	/** How long a record lasts, in milliseconds. @default 600_000 */
	ttlMs?: number | undefined;
}

function rule(
	name: string,
	check: (subject: StoreSubject<BindingStore>) => Promise<void>,
): StoreCase<BindingStore> {
	return { name, run: async (createSubject) => check(await createSubject()) };
}

type BindAndClaim = Required<EventStore>["bindAndClaim"];

/** A rule about binding and claiming in one step; a store without that step passes by default. */
function combinedRule(
	name: string,
	check: (subject: StoreSubject<BindingStore> & { bindAndClaim: BindAndClaim }) => Promise<void>,
): StoreCase<BindingStore> {
	return rule(name, async (subject) => {
		const { store } = subject;
		if (store.bindAndClaim === undefined) return;
		await check({ ...subject, bindAndClaim: store.bindAndClaim.bind(store) });
	});
}

/**
 * The rules of an event store that binds deliveries to event ids, and those of `bindAndClaim` for a store that has it.
 */
export function bindingCases({
	ttlMs = 600_000,
}: RememberingCaseTimes = {}): readonly StoreCase<BindingStore>[] {
	return [...bindCases(ttlMs), ...combinedCases(ttlMs)];
}

function bindCases(ttlMs: number): readonly StoreCase<BindingStore>[] {
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

function combinedCases(ttlMs: number): readonly StoreCase<BindingStore>[] {
	const times = { leaseMs: ttlMs, retentionMs: 2 * ttlMs };
	const bindingOf = (digest: string, eventId: string) => ({ digest, eventId, ttlMs, keyPrefix: "default:" });

	/** The bound id, and what the claim found. */
	const show = ({ eventId, claim }: BoundClaim): string => `${eventId} ${claim.status}`;

	/** Claims what must be free. */
	async function acquireBound(bindAndClaim: BindAndClaim, digest: string, eventId: string) {
		const found = await bindAndClaim(bindingOf(digest, eventId), times);
		if (found.claim.status === "acquired") return { ...found.claim, eventId: found.eventId };
		throw new Error(`${eventId} should be free, but got ${show(found)}`);
	}

	return [
		combinedRule("bindAndClaim binds the delivery, and claims its event", async ({ store, bindAndClaim }) => {
			const { eventId, token, attempt } = await acquireBound(bindAndClaim, "a", "evt_1");
			same([eventId, attempt], ["evt_1", 1], "id and attempt");
			same(await store.bind("a", "evt_2", ttlMs), "evt_1", "the binding");
			same((await store.claim("default:evt_1", times)).status, "in_flight", "the event");
			same(await store.extend("default:evt_1", token, times.leaseMs), true, "extend");
			same(await store.complete("default:evt_1", token, ttlMs), true, "complete");
			same(
				await bindAndClaim(bindingOf("a", "evt_1"), times),
				{ eventId: "evt_1", claim: { status: "done" } },
				"a repeat",
			);
		}),
		combinedRule("bindAndClaim resolves to the values of its contract", async ({ bindAndClaim }) => {
			const { claim, ...rest } = await bindAndClaim(bindingOf("a", "evt_1"), times);
			same(
				[rest, Object.keys(claim).sort()],
				[{ eventId: "evt_1" }, ["attempt", "status", "token"]],
				"a claim",
			);
			const repeat = await bindAndClaim(bindingOf("a", "evt_1"), times);
			const { claim: found } = repeat;
			const leftMs = found.status === "in_flight" ? found.retryAfterMs : Number.NaN;
			same(
				[show(repeat), Object.keys(found).sort()],
				["evt_1 in_flight", ["retryAfterMs", "status"]],
				"a repeat",
			);
			same(leftMs > 0 && leftMs <= times.leaseMs, true, `${leftMs} ms are left`);
		}),
		combinedRule(
			"a copy under another id finds the bound event, and leaves no record of its id",
			async (subject) => {
				const { store, bindAndClaim } = subject;
				const first = await acquireBound(bindAndClaim, "a", "evt_1");
				same(show(await bindAndClaim(bindingOf("a", "evt_2"), times)), "evt_1 in_flight", "while it is held");
				await store.release("default:evt_1", first.token);
				const second = await acquireBound(bindAndClaim, "a", "evt_2");
				same([second.eventId, second.attempt], ["evt_1", 2], "when it is free");
				await store.complete("default:evt_1", second.token, ttlMs);
				same(show(await bindAndClaim(bindingOf("a", "evt_2"), times)), "evt_1 done", "when it is done");
				const other = await store.claim("default:evt_2", times);
				same(other.status === "acquired" && other.attempt, 1, "the first attempt of the other id");
			},
		),
		combinedRule("bind and bindAndClaim know each other's bindings", async ({ store, bindAndClaim }) => {
			await store.bind("a", "evt_1", ttlMs);
			same((await acquireBound(bindAndClaim, "a", "evt_2")).eventId, "evt_1", "bound before");
			await acquireBound(bindAndClaim, "b", "evt_3");
			same(await store.bind("b", "evt_4", ttlMs), "evt_3", "bound after");
		}),
		combinedRule(
			"two deliveries of one event are bound apart, and claim it once",
			async ({ bindAndClaim }) => {
				const { token } = await acquireBound(bindAndClaim, "a", "evt_1");
				same(Number.isSafeInteger(token), true, "the token is an integer");
				same(show(await bindAndClaim(bindingOf("b", "evt_1"), times)), "evt_1 in_flight", "the other one");
			},
		),
		combinedRule(
			"of many concurrent copies under ids of their own one claims",
			async ({ store, bindAndClaim }) => {
				const ids = Array.from({ length: 50 }, (_, at) => `evt_${at}`);
				const all = await Promise.all(ids.map((id) => bindAndClaim(bindingOf("a", id), times)));
				const [bound = "", ...others] = new Set(all.map(({ eventId }) => eventId));
				same(others, [], "other ids");
				same(all.filter(({ claim }) => claim.status === "acquired").length, 1, "winners");
				for (const id of ids.filter((each) => each !== bound)) {
					const claim = await store.claim(`default:${id}`, times);
					same(claim.status === "acquired" && claim.attempt, 1, `the first attempt of ${id}`);
				}
			},
		),
		combinedRule("a binding of bindAndClaim ends with its time", async ({ bindAndClaim, advance }) => {
			await acquireBound(bindAndClaim, "a", "evt_1");
			await advance(ttlMs * 0.9);
			same(show(await bindAndClaim(bindingOf("a", "evt_2"), times)), "evt_1 in_flight", "before");
			await advance(ttlMs * 0.1 + 1);
			same((await acquireBound(bindAndClaim, "a", "evt_2")).eventId, "evt_2", "after");
		}),
	];
}
