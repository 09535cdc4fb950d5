import {
	createWebhookHandler,
	type EventStore,
	type HandlerContext,
	memoryStore,
	PermanentWebhookError,
	type WebhookHandler,
} from "messaging-gateway/webhooks";
import { createCountingClock } from "./counting-clock.ts";
import { webhookSecret, webhookSignature } from "./webhook-delivery.ts";
import { inboundMessage } from "./webhook-payloads.ts";

/** How a handler's run goes: `stop` runs until its signal fires, `hang` never ends. */
export interface Work {
	readonly ending: "finish" | "throw" | "give up" | "stop" | "hang";
	readonly workMs: number;
}

/** The latencies and failures of a process's calls to the store, in turn. */
export interface Network {
	readonly latenciesMs: readonly number[];
	readonly failures: readonly boolean[];
}

interface Process {
	isAlive: boolean;
	network: Network;
	readonly handler: WebhookHandler;
}

const QUIET: Network = { latenciesMs: [0], failures: [false] };
const FOREVER = new Promise<never>(() => undefined);

/**
 * Several processes with a handler each, on one store and one clock. It checks the effects in the store and the
 * responses, and lists every broken promise.
 */
export function createWorld(processCount: number) {
	const clock = createCountingClock();
	const store = memoryStore({ clock });
	const broken: string[] = [];
	const lastToken = new Map<string, number>();
	const completedBy = new Map<string, number>();
	const startedRuns = new Set<string>();
	const finishedRuns = new Set<string>();
	const finished = new Set<string>();
	const acknowledged = new Set<string>();
	/** The deliveries that wait for a response, and the process that owes it. */
	const waiting = new Map<symbol, Process>();
	/** What the next run of an event's handler does. */
	const work = new Map<string, Work>();

	function promise(isKept: boolean, what: string): void {
		if (!isKept) broken.push(what);
	}

	function sleep(ms: number): Promise<void> {
		return ms === 0 ? Promise.resolve() : new Promise((resolve) => clock.setTimer(resolve, ms));
	}

	/** The store with checks, which every second process calls with the combined step: each effect is checked at the moment in which it happens. */
	const watched: Required<EventStore> = {
		...store,
		async claim(key, times) {
			const claim = await store.claim(key, times);
			if (claim.status === "acquired") {
				promise(claim.token > (lastToken.get(key) ?? 0), `${key}: token ${claim.token} does not grow`);
				promise(!completedBy.has(key), `${key} is claimed although it is done`);
				lastToken.set(key, claim.token);
			}
			return claim;
		},
		async extend(key, token, leaseMs) {
			const isHeld = await store.extend(key, token, leaseMs);
			promise(!isHeld || token === lastToken.get(key), `${key}: stale token ${token} extended`);
			return isHeld;
		},
		async release(key, token, options) {
			const isHeld = await store.release(key, token, options);
			promise(!isHeld || token === lastToken.get(key), `${key}: stale token ${token} released`);
			return isHeld;
		},
		async complete(key, token, retentionMs) {
			const isHeld = await store.complete(key, token, retentionMs);
			if (!isHeld) return false;
			promise(token === lastToken.get(key), `${key}: stale token ${token} completed`);
			promise((completedBy.get(key) ?? token) === token, `${key} is completed by two`);
			// A claim without a run may complete an event that an earlier run has finished.
			const isFinished = startedRuns.has(`${key} ${token}`)
				? finishedRuns.has(`${key} ${token}`)
				: finished.has(key.slice("default:".length));
			promise(isFinished, `${key} is completed before token ${token} finished`);
			completedBy.set(key, token);
			return true;
		},
		async bindAndClaim({ digest, eventId, ttlMs, keyPrefix }, times) {
			const bound = await store.bind(digest, eventId, ttlMs);
			return { eventId: bound, claim: await watched.claim(keyPrefix + bound, times) };
		},
	};

	/** The store as a process sees it: once it is dead, its calls have no effect and never settle. */
	function reach(process: Process, combines: boolean): EventStore {
		let calls = 0;
		const travel = async <Value>(act: () => Promise<Value>): Promise<Value> => {
			const { latenciesMs, failures } = process.network;
			const latencyMs = latenciesMs[calls % latenciesMs.length] ?? 0;
			const isDown = failures[calls++ % failures.length];
			await sleep(latencyMs / 2);
			if (!process.isAlive) return FOREVER;
			if (isDown) throw new Error("the store cannot be reached");
			const value = await act();
			await sleep(latencyMs / 2);
			return process.isAlive ? value : FOREVER;
		};
		return {
			claim: (key, times) => travel(() => watched.claim(key, times)),
			extend: (key, token, leaseMs) => travel(() => watched.extend(key, token, leaseMs)),
			complete: (key, token, retentionMs) => travel(() => watched.complete(key, token, retentionMs)),
			release: (key, token, options) => travel(() => watched.release(key, token, options)),
			bind: (digest, eventId, ttlMs) => travel(() => watched.bind(digest, eventId, ttlMs)),
			...(combines ? { bindAndClaim: (...given) => travel(() => watched.bindAndClaim(...given)) } : {}),
		};
	}

	async function run(process: Process, eventId: string, context: HandlerContext): Promise<void> {
		startedRuns.add(`default:${eventId} ${context.token}`);
		const { ending, workMs } = work.get(eventId) ?? { ending: "finish", workMs: 0 };
		if (ending === "hang") return FOREVER;
		if (ending === "stop") {
			await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
			throw context.signal.reason;
		}
		await sleep(workMs);
		if (!process.isAlive) return FOREVER;
		if (ending === "throw") throw new Error("the handler failed");
		finished.add(eventId);
		finishedRuns.add(`default:${eventId} ${context.token}`);
		if (ending === "give up") throw new PermanentWebhookError("the handler gave up");
	}

	function start(combines: boolean): Process {
		const process: Process = {
			isAlive: true,
			network: QUIET,
			get handler() {
				return handler;
			},
		};
		const handler = createWebhookHandler({
			secret: webhookSecret,
			store: reach(process, combines),
			clock,
			leaseMs: 10_000,
			maxHandlerMs: 30_000,
			onError: () => undefined,
			on: {
				inbound_message: ({ eventId }, context) => run(process, eventId, context),
				unknown: ({ eventId }) => broken.push(`${eventId} is not known`),
			},
		});
		return process;
	}

	const processes = Array.from({ length: processCount }, (_, index) => start(index % 2 === 1));
	const at = (index: number): Process => {
		const process = processes[index];
		if (process === undefined) throw new Error(`there is no process ${index}`);
		return process;
	};

	return {
		clock,
		broken,
		finished,
		acknowledged,
		/** How many responses living processes owe. */
		countPending: () => [...waiting.values()].filter(({ isAlive }) => isAlive).length,
		/** Delivers to a process; a process that dies never responds. */
		deliver(eventId: string, index: number, next: Work): void {
			work.set(eventId, next);
			const process = at(index);
			const body = JSON.stringify({ ...inboundMessage, messageId: eventId });
			const timestamp = Math.floor(clock.now() / 1000);
			const headers = {
				"X-SVC-Event-Id": eventId,
				"X-SVC-Timestamp": String(timestamp),
				"X-SVC-Signature": `v1=${webhookSignature(body, webhookSecret, timestamp)}`,
			};
			const delivery = Symbol(eventId);
			waiting.set(delivery, process);
			void process.handler.handle({ body, headers }).then(
				({ status, body: code }) => {
					if (!process.isAlive) return;
					waiting.delete(delivery);
					promise([200, 500, 503].includes(status), `${eventId} gets ${status} ${code}`);
					if (status !== 200) return;
					promise(finished.has(eventId), `${eventId} is acknowledged before a handler finished it`);
					acknowledged.add(eventId);
				},
				(error: unknown) => broken.push(`handle rejects: ${String(error)}`),
			);
		},
		/** The process ends at once, and another one takes its place. */
		crash(index: number): void {
			at(index).isAlive = false;
			processes[index] = start(index % 2 === 1);
		},
		setNetwork(index: number, network: Network): void {
			at(index).network = network;
		},
		heal(): void {
			for (const process of processes) process.network = QUIET;
		},
	};
}
