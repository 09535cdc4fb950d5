import fc from "fast-check";
import { type Clock, isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import {
	createSender,
	listSends,
	memorySendStore,
	observeSend,
	resolveSend,
	type SendInput,
	type SendResult,
	type SendStore,
	type SendVerdict,
} from "messaging-gateway/sends";
import { createAdjustableClock, createLocalGateway } from "messaging-gateway/testing";
import { verifyWebhookRequest, type WebhookEvent } from "messaging-gateway/webhooks";
import { dieAt, type StoreStep } from "./sender-world.ts";

const ANN = "+15551110001";
const BOB = "+15551110002";
const AGENTS = ["+15550000001", "+15550000002"] as const;
const LEASE_MS = 60_000;
const MINUTE = 60_000;

/** Equal texts to one contact, to two, and to a group. */
const SENDS: Readonly<Record<string, SendInput>> = {
	"ann-1": { to: ANN, text: "Sale" },
	"ann-2": { to: ANN, text: "Sale" },
	"bob-1": { to: BOB, text: "Sale" },
	group: { participants: [ANN, BOB], text: "Sale" },
};
const KEYS = Object.keys(SENDS);

/** What happens to a POST on its way. */
const WAYS = [
	"arrives",
	"lost_before",
	"lost_after",
	"page",
	"refused",
	"limited",
	"held",
	"held_and_repeated",
] as const;
type Way = (typeof WAYS)[number];

/** One step of a history. */
export type Step =
	| { readonly kind: "send"; readonly key: string; readonly way: Way; readonly workers: 1 | 2 }
	| {
			readonly kind: "crash";
			readonly key: string;
			readonly way: Way;
			readonly at: StoreStep;
			readonly nth: number;
			readonly isDone: boolean;
	  }
	| {
			readonly kind: "pause";
			readonly key: string;
			readonly isMarked: boolean;
			readonly ms: number;
			readonly sendsAgain: boolean;
			/** Its own clock stands still meanwhile. */
			readonly isStanding: boolean;
	  }
	| { readonly kind: "program"; readonly key: string }
	| { readonly kind: "reply"; readonly isAnn: boolean }
	| { readonly kind: "reassign"; readonly isFirst: boolean }
	| { readonly kind: "advance"; readonly ms: number }
	| { readonly kind: "arrive" }
	| { readonly kind: "observe"; readonly share: number }
	| { readonly kind: "resolve"; readonly key: string; readonly decision: "send_again" | "give_up" };

const key = fc.constantFrom(...KEYS);
const way = fc.constantFrom(...WAYS);
const ms = fc.constantFrom(1_000, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE - 1, 11 * MINUTE);

const steps: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{
			weight: 4,
			arbitrary: fc.record({ kind: fc.constant("send"), key, way, workers: fc.constantFrom(1, 2) }),
		},
		{
			weight: 2,
			arbitrary: fc.record({
				kind: fc.constant("crash"),
				key,
				way,
				at: fc.constantFrom("read", "insert", "replace"),
				nth: fc.constantFrom(1, 2),
				isDone: fc.boolean(),
			}),
		},
		{
			weight: 1,
			arbitrary: fc.record({
				kind: fc.constant("pause"),
				key,
				isMarked: fc.boolean(),
				ms,
				sendsAgain: fc.boolean(),
				isStanding: fc.boolean(),
			}),
		},
		fc.record({ kind: fc.constant("program"), key }),
		fc.record({ kind: fc.constant("reply"), isAnn: fc.boolean() }),
		fc.record({ kind: fc.constant("reassign"), isFirst: fc.boolean() }),
		{ weight: 3, arbitrary: fc.record({ kind: fc.constant("advance"), ms }) },
		{ weight: 2, arbitrary: fc.record({ kind: fc.constant("arrive") }) },
		{ weight: 3, arbitrary: fc.record({ kind: fc.constant("observe"), share: fc.nat(1) }) },
		{
			weight: 2,
			arbitrary: fc.record({
				kind: fc.constant("resolve"),
				key,
				decision: fc.constantFrom("send_again", "give_up"),
			}),
		},
	) as fc.Arbitrary<Step>,
	{ minLength: 1, maxLength: 25, size: "max" },
);

/** Steps, and how far the gateway's clock is ahead of ours. */
export interface History {
	readonly steps: readonly Step[];
	readonly skewMs: number;
}

export const histories: fc.Arbitrary<History> = fc.record({
	steps,
	skewMs: fc.constantFrom(0, -299_000, -150_000, 299_000),
});

/** What a history came to, for a summary. */
export interface Tally {
	accepted: number;
	unresolved: number;
	given_up: number;
	sentAgain: number;
	lateArrivals: number;
	provenByStatus: number;
}

/** Plays a history against the local gateway, and checks after each step that no verdict is false. */
export async function playHistory(
	{ steps, skewMs }: History,
	hasCallbacks: boolean,
	tally: Tally,
): Promise<void> {
	const clock = createAdjustableClock({ frozen: true, startMs: 1_767_225_600_000 });
	const events: WebhookEvent[] = [];
	await using local = createLocalGateway({
		clock,
		agents: AGENTS,
		rules: { consecutive: "off" },
		deliverTo: async (request) => {
			events.push(await verifyWebhookRequest(request, { secret: local.webhookSecret, clock }));
			return new Response(null, { status: 204 });
		},
	});
	local.faults.skewClock(skewMs);
	const store = memorySendStore({ clock });
	/** How often the gateway accepted a message of a key, whether or not its sender heard of it. */
	const accepted = new Map<string, number>();
	const sentAgain = new Map<string, number>();
	/** Keys whose last attempt was unresolved when somebody decided. */
	const uncertain = new Set<string>();
	/** Requests that something on the way holds back. */
	const held: { key: string; arrive: () => Promise<Response>; sentAgain: number }[] = [];

	const countOf = (counts: ReadonlyMap<string, number>, of: string): number => counts.get(of) ?? 0;
	const count = (counts: Map<string, number>, of: string): void =>
		void counts.set(of, countOf(counts, of) + 1);

	/** A process whose POSTs of a key go this way. */
	function createProcess(of: string, which: Way, given: SendStore = store, own: Clock = clock) {
		async function fetch(url: string, init?: RequestInit): Promise<Response> {
			if (init?.method !== "POST") return local.clientOptions.fetch(url, init);
			const arrive = async (): Promise<Response> => {
				const response = await local.clientOptions.fetch(url, { ...init, signal: null });
				if (response.status === 202) count(accepted, of);
				return response;
			};
			switch (which) {
				case "arrives":
					return arrive();
				case "lost_after":
					await arrive();
					throw new TypeError("fetch failed");
				case "page":
					await arrive();
					return new Response("<html>", { headers: { "Content-Type": "text/html" } });
				case "refused": {
					const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
					throw Object.assign(new TypeError("fetch failed"), { cause });
				}
				case "limited":
					return new Response("slow down", { status: 429 });
				case "held_and_repeated":
				case "held":
					held.push({ key: of, arrive, sentAgain: countOf(sentAgain, of) });
					if (which === "held_and_repeated")
						held.push({ key: of, arrive, sentAgain: countOf(sentAgain, of) });
					throw new TypeError("fetch failed");
				case "lost_before":
					throw new TypeError("fetch failed");
			}
		}
		const gateway = new MessagingGateway({ ...local.clientOptions, clock: own, fetch, logLevel: "off" });
		return createSender({
			gateway,
			store: given,
			digestSecret: "a secret",
			leaseMs: LEASE_MS,
			...(hasCallbacks && { statusCallback: (token: string) => `https://app.example/${token}` }),
		});
	}

	async function send(
		of: string,
		which: Way,
		given?: SendStore,
		own?: Clock,
	): Promise<SendResult | undefined> {
		const before = countOf(accepted, of);
		try {
			const result = await createProcess(of, which, given, own).send(of, SENDS[of] as SendInput);
			check(result.status !== "accepted" || countOf(accepted, of) > 0, of, "was reported as accepted");
			return result;
		} catch (error) {
			if (!isMessagingGatewayError(error) || !("outcome" in error)) throw error;
			const isCertain = error.outcome === "not_sent" || error.outcome === "rejected";
			check(isCertain, of, `threw an error with outcome ${error.outcome}`);
			const hasSentNothing = error.code !== "send_in_progress" && error.code !== "lease_ended";
			if (hasSentNothing)
				check(countOf(accepted, of) === before, of, `was accepted, but threw ${error.code}`);
			return undefined;
		}
	}

	async function decide(of: string, decision: "send_again" | "give_up"): Promise<void> {
		const row = await readVerdict(of);
		try {
			await resolveSend(store, of, decision);
			if (row?.status === "unresolved") uncertain.add(of);
			// Given up, and then sent again: a decision for a second message, too.
			if (decision === "send_again" && uncertain.delete(of)) {
				count(sentAgain, of);
				tally.sentAgain++;
			}
		} catch (error) {
			if (!isMessagingGatewayError(error) || error.name !== "SendError") throw error;
		}
	}

	async function readVerdicts(): Promise<Map<string, SendVerdict>> {
		const verdicts = new Map<string, SendVerdict>();
		for (const status of ["open", "unresolved", "accepted", "given_up"] as const)
			for await (const { key: of, verdict } of listSends(store, { status })) verdicts.set(of, verdict);
		return verdicts;
	}

	const readVerdict = async (of: string): Promise<SendVerdict | undefined> => (await readVerdicts()).get(of);

	async function checkVerdicts(): Promise<void> {
		for (const [of, verdict] of await readVerdicts()) {
			const times = countOf(accepted, of);
			const again = countOf(sentAgain, of);
			if (verdict.status === "accepted") check(times > 0, of, "has the verdict accepted");
			if (verdict.status === "open" && again === 0) {
				check(times === 0, of, "has the verdict open, but was accepted");
				check(!held.some((request) => request.key === of), of, "is open, but a request may still arrive");
			}
			if (verdict.status === "unresolved") check(verdict.evidence.attempts.length > 0, of, "has no evidence");
			check(times <= 1 + again, of, `was accepted ${times} times after ${again} decisions`);
		}
	}

	async function play(step: Step): Promise<void> {
		switch (step.kind) {
			case "send":
				await Promise.all(Array.from({ length: step.workers }, () => send(step.key, step.way)));
				return;
			case "crash": {
				const died = Promise.withResolvers<void>();
				const dying = dieAt(store, step.at, step.nth, step.isDone, died.resolve);
				await Promise.race([send(step.key, step.way, dying), died.promise]);
				return;
			}
			case "pause": {
				let replaced = 0;
				const rest = async (): Promise<void> => {
					await clock.advance(step.ms);
					await send(step.key, "arrives");
					if (step.sendsAgain) {
						await decide(step.key, "send_again");
						await send(step.key, "arrives");
					}
				};
				const paused: SendStore = {
					...store,
					async replace(...given) {
						const isFirst = ++replaced === 1;
						if (isFirst && !step.isMarked) await rest();
						const isDone = await store.replace(...given);
						if (isFirst && step.isMarked) await rest();
						return isDone;
					},
				};
				const startedAt = clock.now();
				const standing: Clock = { now: () => startedAt, setTimer: clock.setTimer };
				await send(step.key, "arrives", paused, step.isStanding ? standing : clock);
				return;
			}
			case "program": {
				const program = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
				await program.messages.sendText(SENDS[step.key] as never).catch(() => undefined);
				return;
			}
			case "reply":
				await local
					.contact(step.isAnn ? ANN : BOB)
					.reply("Yes")
					.catch(() => undefined);
				return;
			case "reassign": {
				const program = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
				const toAgentNumber = AGENTS[step.isFirst ? 0 : 1];
				// The contact may have no mapping yet.
				await program.agents.reassign({ userNumber: ANN, toAgentNumber }).catch(() => undefined);
				return;
			}
			case "advance":
				await clock.advance(step.ms);
				return;
			case "arrive": {
				const request = held.shift();
				if (request === undefined) return;
				tally.lateArrivals++;
				const response = await request.arrive();
				const isOutdated = countOf(sentAgain, request.key) > request.sentAgain;
				if (isOutdated) check(response.status === 401, request.key, `a late request got ${response.status}`);
				return;
			}
			case "observe":
				for (const event of events.filter((_event, at) => at % (step.share + 1) === 0)) {
					const { verdict } = (await observeSend(store, event)) ?? {};
					if (verdict?.status === "accepted" && verdict.proof === "status") tally.provenByStatus++;
				}
				return;
			case "resolve":
				await decide(step.key, step.decision);
		}
	}

	for (const step of steps) {
		await play(step);
		await checkVerdicts();
	}
	// Whatever happened, nothing is dropped: every send can be brought to an end.
	await clock.advance(11 * MINUTE);
	for (const request of held.splice(0))
		check((await request.arrive()).status === 401, request.key, "arrived after ten minutes");
	for (const of of KEYS) {
		await clock.advance(11 * MINUTE);
		const result = await send(of, "arrives");
		if (result === undefined) throw new Error(`${of} cannot be sent any more`);
		tally[result.status]++;
		if (result.status === "unresolved") {
			await decide(of, "send_again");
			check((await send(of, "arrives"))?.status === "accepted", of, "cannot be sent again");
		}
	}
	await checkVerdicts();
}

function check(holds: boolean, of: string, what: string): asserts holds {
	if (!holds) throw new Error(`${of} ${what}`);
}
