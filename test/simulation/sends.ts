import type { SendResult } from "messaging-gateway/sends";
import { readRecord, type SendAttempt } from "../../src/library/sends/record.ts";
import { statusUpdate } from "../support/webhook-payloads.ts";
import type { OpenSends } from "./send-stores.ts";
import type { Subject } from "./subject.ts";
import { type Plan, Process, World } from "./world.ts";

const LEASE_MS = 20_000;

/** How far a request's timestamp may be from the gateway's clock (specification, section 5.1). */
const TOLERANCE_MS = 300_000;

/** How long a proxy holds a request back, in milliseconds. */
const HOLDS_MS = [1_000, 30_000, 240_000];

/** How long a job waits before its next try, and a person before a decision. */
const RETRY_MS = [500, 5_000, 15_000];
const STATUS_MS = [100, 3_000, 60_000, 900_000];
const DECISION_MS = [1_000, 200_000, 700_000];

/** A message that the gateway accepted. */
interface Accepted {
	/** The token of the attempt, from its `status_callback`. */
	readonly token: string;
}

/** What the gateway, a network or a proxy does with a request. */
type Treatment =
	| "accepts"
	| "accepts_unread"
	| "accepts_later"
	| "breaks"
	| "refuses"
	| "fails"
	| "fails_accepted"
	| "limits";

/** How the gateway rejects a request. */
export const REJECTIONS = {
	refuses: { status: 409, code: "DUPLICATE_MESSAGE" },
	limits: { status: 429, code: "RATE_LIMITED" },
	fails: { status: 500, code: "INTERNAL_ERROR" },
} as const;

interface SentRequest {
	readonly body: string;
	/** When it was signed, by the clock of its process. */
	readonly signedAt: number;
	/** The same by the time of the world. */
	readonly sentAt: number;
}

interface Key {
	readonly name: string;
	readonly accepted: Accepted[];
	/** How often somebody decided to send again. */
	decisions: number;
	/** When that was decided last, in the time of the world. */
	decidedAt: number;
	/** When somebody decided that nothing is sent any more. */
	closedAt: number;
}

/** Plays workers that share a store of sends, and a gateway that accepts, loses answers and sends statuses. */
export async function playSends(
	openStore: OpenSends,
	subject: Subject,
	plan: Plan,
	story?: string[],
): Promise<void> {
	const world = new World(plan, story);
	const { random } = world;
	const gateway = new Process(world, "gateway", true);
	const person = new Process(world, "person", true);
	const storeOf = await openStore(subject, world);
	/** Without a seam: for what is done at one. */
	const store = storeOf();
	const personsStore = storeOf(person);
	/** The last decision: a person makes one at a time. */
	let decided: Promise<void> = Promise.resolve();
	/** A proxy replaces responses by its own. */
	const hidesResponses = random.chance(0.3);
	const keys = Array.from({ length: random.between(1, 3) }, (_, at): Key => {
		return {
			name: `order-${at}`,
			accepted: [],
			decisions: 0,
			decidedAt: 0,
			closedAt: Number.POSITIVE_INFINITY,
		};
	});
	const fail = (what: string): void => world.fail(what);

	/** What the store knows of an attempt. */
	async function findAttempt(key: Key, token: string): Promise<SendAttempt | undefined> {
		const { row } = await store.read(key.name);
		return row && readRecord(row.data)?.attempts.find((attempt) => attempt.token === token);
	}

	/** @param sentAt - when the request was signed, in the time of the world. */
	async function accept(key: Key, token: string, sentAt: number): Promise<void> {
		if (sentAt < key.decidedAt)
			fail(`a request for ${key.name} arrives that was sent before the decision to send again`);
		key.accepted.push({ token });
		world.tell(gateway, `accepts ${key.name}`);
		if (key.accepted.length > 1 + key.decisions) fail(`${key.name} is accepted ${key.accepted.length} times`);
		const attempt = await findAttempt(key, token);
		if (attempt === undefined) fail(`${key.name} is accepted, and the store has no mark of the attempt`);
		else if (attempt.outcome === "not_sent" || attempt.outcome === "rejected")
			fail(`${key.name} is accepted, and the store calls the attempt ${attempt.outcome}`);
		if (random.chance(0.6)) void sendStatus(key, token, true);
	}

	/** A status event comes by a callback: late, twice, or to a worker that fails. A forged one has a token that nobody was given. */
	async function sendStatus(key: Key, token: string, isReal: boolean): Promise<void> {
		const times = random.between(1, 3);
		for (let time = 0; time < times; time++) {
			await gateway.sleep(random.pick(STATUS_MS));
			const worker = new Process(world, "receiver of statuses");
			const status_callback = `https://app.example/webhooks/${token}`;
			const data = { ...statusUpdate, status: random.pick(["sent", "failed"] as const), status_callback };
			const event = { kind: "status", eventId: `evt_${time}`, timestamp: 0, data } as const;
			const observing = subject.observeSend(storeOf(worker), event, { clock: worker.clock });
			const observed = await observing.catch(() => "failed" as const);
			if (observed === "failed" || !isReal) continue;
			if (observed?.verdict.status !== "accepted")
				fail(`a status of ${key.name} did not prove that it was accepted`);
		}
		world.tell(gateway, `has sent the statuses of ${key.name}`);
	}

	function chooseTreatment(): Treatment {
		if (hidesResponses && random.chance(0.8)) return "accepts_unread";
		if (!world.misfortune(0.3)) return "accepts";
		return random.pick(["accepts_later", "breaks", "refuses", "fails", "fails_accepted", "limits"] as const);
	}

	/** A worker's `fetch`: what a request may meet on its way, beside the faults of the seam. */
	async function receive(process: Process, { body, signedAt, sentAt }: SentRequest): Promise<Answer> {
		const { text, status_callback: callback = "" } = JSON.parse(body);
		const key = keys.find(({ name }) => name === text);
		const token = String(callback).slice(-69);
		if (key === undefined) throw new Error("an unknown send");
		if (sentAt >= key.closedAt) fail(`${key.name} is sent after the decision not to`);
		const attempt = await findAttempt(key, token);
		if (attempt !== undefined && sentAt > attempt.signedBy)
			fail(`${key.name} is signed when the lease is over`);
		if (random.chance(0.2)) void sendStatus(key, forged(token), false);
		const treatment = chooseTreatment();
		world.tell(process, `POST of ${key.name}: ${treatment.replace("_", " ")}`);
		switch (treatment) {
			case "accepts":
				await accept(key, token, sentAt);
				return answer(202, { ok: true, data: { message: messageOf(text) } });
			case "accepts_unread":
				await accept(key, token, sentAt);
				return answer(202, {});
			case "accepts_later":
				gateway.clock.setTimer(() => {
					if (Math.abs(world.now - signedAt) > TOLERANCE_MS) return;
					void gateway.call("held request", () => accept(key, token, sentAt));
				}, random.pick(HOLDS_MS));
				throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } });
			case "breaks":
				throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
			case "fails_accepted":
				await accept(key, token, sentAt);
				return reject("fails");
			case "refuses":
			case "limits":
			case "fails":
				return reject(treatment);
		}
	}

	function start(name: string) {
		const process = new Process(world, name);
		const client = new subject.MessagingGateway({
			baseUrl: "https://gateway.example",
			appId: "app",
			appSecret: "app-secret-0123456789",
			logLevel: "off",
			clock: process.clock,
			fetch: async (_url, { method, body, signal }) => {
				if (method !== "POST") throw new TypeError("fetch failed");
				const text = new TextDecoder().decode(body);
				const request = { body: text, signedAt: process.clock.now(), sentAt: world.now };
				const answered = process
					.call("fetch", () => receive(process, request))
					.catch((error: Error) => {
						// What a fault of the seam does to a request is unknown to its sender.
						throw error instanceof TypeError ? error : new TypeError("fetch failed");
					});
				const aborted = new Promise<never>((_, reject) => {
					signal.addEventListener("abort", () => reject(signal.reason));
				});
				return Promise.race([answered, aborted]);
			},
		});
		const sender = subject.createSender({
			gateway: client,
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
			await gateway.sleep(random.pick(RETRY_MS));
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
			if (result.proof !== "decision" && key.accepted.length === 0)
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

interface Answer {
	readonly status: number;
	readonly statusText: string;
	readonly headers: Headers;
	readonly body: undefined;
	text(): Promise<string>;
}

function answer(status: number, envelope: object): Answer {
	const headers = new Headers({ "Content-Type": "application/json" });
	return { status, statusText: "", headers, body: undefined, text: async () => JSON.stringify(envelope) };
}

function reject(rejection: keyof typeof REJECTIONS): Answer {
	const { status, code } = REJECTIONS[rejection];
	return answer(status, { ok: false, error: { code, message: "rejected" } });
}

function messageOf(text: string): object {
	return { ...statusUpdate, text, status: "queued" };
}

function outcomeOf(result: SendResult): string {
	return result.status === "accepted" ? `accepted by ${result.proof}` : result.status;
}

/** A token with the right id that nobody was given. */
function forged(token: string): string {
	return token.replace(/[0-9a-f]{32}$/, "0".repeat(32));
}
