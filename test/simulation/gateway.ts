import type { MessagingGateway } from "messaging-gateway";
import { readRecord, type SendAttempt } from "../../src/library/sends/record.ts";
import { statusUpdate } from "../support/webhook-payloads.ts";
import type { SendStoreOf } from "./send-stores.ts";
import type { Subject } from "./subject.ts";
import { Process, type World } from "./world.ts";

/** How far a request's timestamp may be from the gateway's clock (specification, section 5.1). */
const TOLERANCE_MS = 300_000;

/** Longer than a send is held. */
const MOST_LEASE_MS = 30_000;

/** How long a proxy holds a request back, in milliseconds. */
const HOLDS_MS = [1_000, 30_000, 240_000];

/** When the gateway sends a status. */
const STATUS_MS = [100, 3_000, 60_000, 900_000];

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

/** What becomes of a copy that the network made: its response, or that to the first, is what the sender gets. */
const REPEATS = ["refused_nonce", "refused", "answered", "limited", "duplicate", "accepted"] as const;

/** How many sends arrived, how many of them the network repeated, and after which nobody can tell that it did. */
export const REPEATED_SENDS = {
	of: 0,
	repeated: 0,
	untold: {
		/** A limiter in front of the gateway rejects the copy with 429. */
		limited: 0,
		/** The gateway takes the copy for a second message, and rejects it with 409. */
		duplicate: 0,
		/** A node with nonces of its own accepts the copy as a second message. */
		accepted: 0,
	},
};

/** How the gateway rejects a request. */
export const REJECTIONS = {
	refuses: { status: 409, code: "DUPLICATE_MESSAGE" },
	limits: { status: 429, code: "RATE_LIMITED" },
	fails: { status: 500, code: "INTERNAL_ERROR" },
} as const;

/** A message that is to be sent once. */
export class Key {
	readonly name: string;
	/** The key in the store. */
	storeKey: string;
	/** How often the gateway accepted it. */
	accepted = 0;
	/** How often somebody decided to send again. */
	decisions = 0;
	/** When that was decided last, in the time of the world. */
	decidedAt = 0;
	/** How often it was accepted with a copy of which nobody can tell. */
	untold = 0;
	/** When somebody decided that nothing is sent any more. */
	closedAt = Number.POSITIVE_INFINITY;
	/** The texts that the gateway accepted. */
	readonly texts: string[] = [];
	/** Whether it is sent without a sender: no store knows of it. */
	readonly isPlain: boolean;

	constructor(name: string, storeKey = name, isPlain = false) {
		this.name = name;
		this.storeKey = storeKey;
		this.isPlain = isPlain;
	}
}

interface SentRequest {
	readonly key: Key;
	readonly text: string;
	/** The token of the attempt, from its `status_callback`. */
	readonly token: string;
	/** When it was signed, by the clock of its process. */
	readonly signedAt: number;
	/** The same by the time of the world. */
	readonly sentAt: number;
}

/** A gateway that accepts, loses answers and sends statuses; no key may be accepted twice. */
export class PlayedGateway {
	readonly process: Process;
	readonly #world: World;
	readonly #subject: Subject;
	readonly #storeOf: SendStoreOf;
	readonly #leaves: (text: string, to: string) => Key;
	/** What it has accepted, by its `messageId`. */
	readonly #accepted = new Map<string, string>();
	/** A proxy replaces responses by its own. */
	readonly #hidesResponses: boolean;
	/** How often the network repeats a request. */
	readonly #repeatChance: number;
	/** Processes whose secret the gateway does not know: all that they sign is refused. */
	readonly #strangers = new Set<Process>();

	/** @param leaves - called when a request leaves: the key that its text is of. */
	constructor(
		world: World,
		subject: Subject,
		storeOf: SendStoreOf,
		leaves: (text: string, to: string) => Key,
	) {
		this.process = new Process(world, "gateway", true);
		this.#world = world;
		this.#subject = subject;
		this.#storeOf = storeOf;
		this.#leaves = leaves;
		this.#hidesResponses = world.random.chance(0.3);
		this.#repeatChance = world.networkRandom.pick([0, 0, 0.3]);
	}

	/** A process's client. It never retries: how long it waits would be random. */
	createClient(process: Process): MessagingGateway {
		return new this.#subject.MessagingGateway({
			baseUrl: "https://gateway.example",
			appId: "app",
			appSecret: "app-secret-0123456789",
			logLevel: "off",
			maxRetries: 0,
			clock: process.clock,
			fetch: async (url, { method, body: bytes, signal }) => {
				if (method !== "POST") return this.#read(process, url);
				const body = new TextDecoder().decode(bytes);
				const answered = process.call("fetch", this.#prepare(process, url, body)).catch((error: Error) => {
					// What a fault of the seam does to a request is unknown to its sender.
					throw error instanceof TypeError ? error : new TypeError("fetch failed");
				});
				const aborted = new Promise<never>((_, reject) => {
					signal.addEventListener("abort", () => reject(signal.reason));
				});
				return Promise.race([answered, aborted]);
			},
		});
	}

	/** A request leaves. @returns what happens when it arrives. */
	#prepare(process: Process, url: string, body: string): () => Answer | Promise<Answer> {
		const fields = JSON.parse(body);
		if (!url.endsWith("/message/text"))
			return () => answer(200, { ok: true, data: { ...fields, chatGuid: "chat-1", expiresAt: null } });
		const { text, to, status_callback: callback } = fields;
		const key = this.#leaves(text, to);
		const token = String(callback).slice(-69);
		const times = { signedAt: process.clock.now(), sentAt: this.#world.now };
		return () => this.#receive(process, { key, text, token, ...times });
	}

	/** A message that it has accepted, or another signed read, which is accepted unless the secret is wrong. */
	#read(process: Process, url: string): Answer {
		const messageId = url.slice(url.lastIndexOf("/") + 1);
		const text = this.#accepted.get(messageId);
		if (text !== undefined) return answer(200, { ok: true, data: { message: messageOf(text, messageId) } });
		if (this.#strangers.delete(process)) return refuse({ code: "UNAUTHORIZED" });
		return answer(404, { ok: false, error: { code: "MAPPING_NOT_FOUND", message: "" } });
	}

	/** What a message may meet on its way, beside the faults of the seam. */
	async #receive(process: Process, request: SentRequest): Promise<Answer> {
		const world = this.#world;
		const { random } = world;
		const { key, token, signedAt, sentAt } = request;
		REPEATED_SENDS.of += 1;
		if (sentAt >= key.closedAt) world.fail(`${key.name} is sent after the decision not to`);
		// Its machine slept before it left, or its clock is off.
		if (Math.abs(world.now - signedAt) > TOLERANCE_MS) return refuse({ code: "TIMESTAMP_OUT_OF_RANGE" });
		const attempt = await this.#findAttempt(key, token);
		if (attempt !== undefined && sentAt > attempt.signedBy && !process.hidesSleep(MOST_LEASE_MS))
			world.fail(`${key.name} is signed when the lease is over`);
		if (random.chance(0.2)) void this.#sendStatus(key, forged(token), statusUpdate.messageId, false);
		const treatment = this.#chooseTreatment();
		world.tell(process, `POST of ${key.name}: ${treatment.replace("_", " ")}`);
		switch (treatment) {
			case "accepts":
				if (this.#isStranger(process)) return refuse({ code: "UNAUTHORIZED" });
				return this.#acceptRepeated(request);
			case "accepts_unread":
				await this.#accept(request);
				return answer(202, {});
			case "accepts_later":
				this.process.clock.setTimer(() => {
					if (Math.abs(world.now - signedAt) > TOLERANCE_MS) return;
					void this.process.call("held request", () => this.#accept(request));
				}, random.pick(HOLDS_MS));
				throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } });
			case "breaks":
				throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
			case "fails_accepted":
				await this.#accept(request);
				return reject("fails");
			case "refuses":
			case "limits":
			case "fails":
				return reject(treatment);
		}
	}

	/** Whether the secret of a process is wrong at the moment. */
	#isStranger(process: Process): boolean {
		const isStranger =
			this.#strangers.has(process) || (this.#repeatChance > 0 && this.#world.networkRandom.chance(0.1));
		if (isStranger) this.#strangers.add(process);
		return isStranger;
	}

	/** Accepts a request, which the network may repeat. */
	async #acceptRepeated(request: SentRequest): Promise<Answer> {
		const { networkRandom } = this.#world;
		const { key } = request;
		if (!networkRandom.chance(this.#repeatChance)) return this.#acceptTold(request);
		const repeat = networkRandom.pick(REPEATS);
		this.#world.tell(this.process, `gets a copy of ${key.name}: ${repeat.replace("_", " ")}`);
		REPEATED_SENDS.repeated += 1;
		if (repeat === "limited" || repeat === "duplicate" || repeat === "accepted") {
			REPEATED_SENDS.untold[repeat] += 1;
			key.untold += 1;
		}
		const accepted = await this.#acceptTold(request, repeat !== "limited" && repeat !== "duplicate");
		switch (repeat) {
			case "refused_nonce":
				return refuse({ code: "NONCE_REPLAYED" }, 400);
			case "refused":
				return refuse({ code: "UNAUTHORIZED" });
			case "limited":
				return reject("limits");
			case "duplicate":
				return reject("refuses");
			case "accepted":
				await this.#accept(request);
				return accepted;
			case "answered":
				return accepted;
		}
	}

	#chooseTreatment(): Treatment {
		const { random } = this.#world;
		if (this.#hidesResponses && random.chance(0.8)) return "accepts_unread";
		if (!this.#world.misfortune(0.3)) return "accepts";
		return random.pick(["accepts_later", "breaks", "refuses", "fails", "fails_accepted", "limits"] as const);
	}

	/** The text that was accepted as a message. */
	textOf(messageId: string): string | undefined {
		return this.#accepted.get(messageId);
	}

	async #acceptTold(request: SentRequest, isTold?: boolean): Promise<Answer> {
		const messageId = await this.#accept(request, isTold);
		return answer(202, { ok: true, data: { message: messageOf(request.text, messageId) } });
	}

	/**
	 * @param isTold - whether its sender can learn of it: the next attempt replaces one that counts as rejected.
	 * @returns the `messageId`.
	 */
	async #accept({ key, text, token, sentAt }: SentRequest, isTold = true): Promise<string> {
		const world = this.#world;
		const messageId = `00000000-0000-4000-8000-${String(this.#accepted.size + 1).padStart(12, "0")}`;
		this.#accepted.set(messageId, text);
		key.texts.push(text);
		if (sentAt < key.decidedAt)
			world.fail(`a request for ${key.name} arrives that was sent before the decision to send again`);
		key.accepted += 1;
		world.tell(this.process, `accepts ${key.name}`);
		if (key.accepted > 1 + key.decisions + key.untold)
			world.fail(`${key.name} is accepted ${key.accepted} times`);
		if (key.isPlain) return messageId;
		const attempt = await this.#findAttempt(key, token);
		if (attempt === undefined)
			world.fail(`${key.name} is accepted, and the store has no mark of the attempt`);
		else if (attempt.outcome === "not_sent" || attempt.outcome === "rejected")
			world.fail(`${key.name} is accepted, and the store calls the attempt ${attempt.outcome}`);
		if (world.random.chance(0.6)) void this.#sendStatus(key, token, messageId, isTold);
		return messageId;
	}

	/** What the store knows of an attempt, without a seam. */
	async #findAttempt(key: Key, token: string): Promise<SendAttempt | undefined> {
		const { row } = await this.#storeOf().read(key.storeKey);
		return row && readRecord(row.data)?.attempts.find((attempt) => attempt.token === token);
	}

	/** A status event comes by a callback: late, twice, or to a worker that fails. A forged one has a token that nobody was given. */
	async #sendStatus(key: Key, token: string, messageId: string, isReal: boolean): Promise<void> {
		const world = this.#world;
		const { random } = world;
		const times = random.between(1, 3);
		for (let time = 0; time < times; time++) {
			await this.process.sleep(random.pick(STATUS_MS));
			const worker = new Process(world, "receiver of statuses");
			const status_callback = `https://app.example/webhooks/${token}`;
			const status = random.pick(["sent", "failed"] as const);
			const data = { ...statusUpdate, messageId, status, status_callback };
			const event = { kind: "status", eventId: `evt_${time}`, timestamp: 0, data } as const;
			const observing = this.#subject.observeSend(this.#storeOf(worker), event, { clock: worker.clock });
			const observed = await observing.catch(() => "failed" as const);
			if (observed === "failed" || !isReal) continue;
			if (observed?.verdict.status !== "accepted")
				world.fail(`a status of ${key.name} did not prove that it was accepted`);
		}
		world.tell(this.process, `has sent the statuses of ${key.name}`);
	}
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

function refuse(error: object, status = 401): Answer {
	return answer(status, { ok: false, error: { message: "", ...error } });
}

function messageOf(text: string, messageId: string): object {
	return { ...statusUpdate, messageId, text, status: "queued" };
}

/** A token with the right id that nobody was given. */
function forged(token: string): string {
	return token.replace(/[0-9a-f]{32}$/, "0".repeat(32));
}
