import type { SendResult } from "messaging-gateway/sends";
import { Key, PlayedGateway } from "./gateway.ts";
import type { OpenSends } from "./send-stores.ts";
import type { Subject } from "./subject.ts";
import { type Plan, Process, World } from "./world.ts";

const LEASE_MS = 20_000;

/** How long a job waits before its next try, and a person before a decision. */
const RETRY_MS = [500, 5_000, 15_000];
const DECISION_MS = [1_000, 200_000, 700_000];

/** Plays workers that share a store of sends, and a gateway that accepts, loses answers and sends statuses. */
export async function playSends(
	openStore: OpenSends,
	subject: Subject,
	plan: Plan,
	story?: string[],
): Promise<void> {
	const world = new World(plan, story);
	const { random } = world;
	const person = new Process(world, "person", true);
	const storeOf = await openStore(subject, world);
	const personsStore = storeOf(person);
	/** The last decision: a person makes one at a time. */
	let decided: Promise<void> = Promise.resolve();
	const gateway = new PlayedGateway(world, subject, storeOf, (text) => {
		const key = keys.find(({ name }) => name === text);
		if (key === undefined) throw new Error("an unknown send");
		return key;
	});
	const keys = Array.from({ length: random.between(1, 3) }, (_, at) => new Key(`order-${at}`));
	const fail = (what: string): void => world.fail(what);

	function start(name: string) {
		const process = new Process(world, name);
		const sender = subject.createSender({
			gateway: gateway.createClient(process),
			store: storeOf(process),
			digestSecret: "digest-secret-0123456789",
			leaseMs: LEASE_MS,
			storeTimeoutMs: 3_000,
			statusCallback: (token) => `https://app.example/webhooks/${token}`,
		});
		return { process, sender };
	}

	/** A job of a queue: it is done again until its send has a result, by another worker if one died. */
	async function work(key: Key, at: number): Promise<void> {
		for (let tries = 0; ; tries++) {
			const { process, sender } = start(`worker ${at} of ${key.name}, try ${tries + 1}`);
			const died = new Promise<"died">((resolve) => {
				process.onEnd(() => resolve("died"));
			});
			const input = { to: "+15551234567", text: key.name };
			const result = await Promise.race([sender.send(key.name, input).catch(() => "failed" as const), died]);
			world.tell(process, `${key.name}: ${typeof result === "string" ? result : outcomeOf(result)}`);
			if (typeof result !== "string" && (await isOver(key, result))) return;
			if (random.chance(0.15)) await decide(key);
			await gateway.process.sleep(random.pick(RETRY_MS));
		}
	}

	/** A person decides on a send, which may meet a worker that is at it. */
	function decide(key: Key): Promise<void> {
		decided = decided.then(() => decideNow(key));
		return decided;
	}

	async function decideNow(key: Key): Promise<void> {
		const decision = random.pick(["send_again", "give_up", "accepted"] as const);
		const { decisions, closedAt } = key;
		// It counts as soon as the store has it, and a worker may be quicker than the answer.
		if (decision === "send_again") {
			key.decisions += 1;
			key.closedAt = Number.POSITIVE_INFINITY;
		}
		const result = await subject
			.resolveSend(personsStore, key.name, decision, { clock: person.clock })
			.catch(() => undefined);
		if (result === undefined) Object.assign(key, { decisions, closedAt });
		else if (decision === "send_again") key.decidedAt = world.now;
		else key.closedAt = world.now;
		world.tell(
			person,
			`${decision} for ${key.name}: ${result === undefined ? "not possible" : result.status}`,
		);
	}

	/** Whether a job needs no further try. */
	async function isOver(key: Key, result: SendResult): Promise<boolean> {
		if (result.status === "accepted") {
			if (result.proof !== "decision" && key.accepted === 0)
				fail(`${key.name} is called accepted, and was not`);
			return true;
		}
		if (result.status === "given_up") return true;
		// A mutant may have none.
		if (!result.evidence?.attempts.length) fail(`${key.name} is unresolved without evidence`);
		await person.sleep(random.pick(DECISION_MS));
		await decide(key);
		return false;
	}

	const jobs = keys.flatMap((key) => Array.from({ length: random.between(1, 4) }, (_, at) => work(key, at)));
	let isDone = false;
	Promise.all(jobs).then(
		() => {
			isDone = true;
		},
		(error: unknown) =>
			world.check(() => {
				throw error;
			}),
	);
	await world.run(() => isDone);
}

function outcomeOf(result: SendResult): string {
	return result.status === "accepted" ? `accepted by ${result.proof}` : result.status;
}
