import { inspect } from "node:util";
import { type Clock, MessagingGateway, type Profile } from "messaging-gateway";
import {
	createSender,
	memorySendStore,
	type SendEvidence,
	type SenderOptions,
	type SendResult,
	type SendStore,
	type SendVerdict,
} from "messaging-gateway/sends";
import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGatewayOptions,
} from "messaging-gateway/testing";
import { verifyWebhookRequest, type WebhookEvent } from "messaging-gateway/webhooks";
import { expect } from "vitest";

export const TO = "+15551234567";
export const TEXT = { to: TO, text: "On its way" };
export const KEY = "order-4711-shipped";
export const DIGEST_SECRET = "a secret for digests";

/** The steps of a store, in the order in which a fresh send takes them. */
export type StoreStep = keyof SendStore;

export interface WorldOptions extends Partial<SenderOptions> {
	rules?: LocalGatewayOptions["rules"];
	/** Leaves `statusCallback` out. */
	withoutCallbacks?: boolean;
	profile?: Profile;
}

/** A local gateway whose clock stands still, a store, and senders as processes would have them. */
export function createWorld({
	rules = "off",
	withoutCallbacks = false,
	profile,
	...given
}: WorldOptions = {}) {
	const events: WebhookEvent[] = [];
	const clock = createAdjustableClock({ frozen: true, startMs: 1_767_225_600_000 });
	const local = createLocalGateway({
		clock,
		rules,
		profile,
		deliverTo: async (request) => {
			events.push(await verifyWebhookRequest(request, { secret: local.webhookSecret, clock, profile }));
			return new Response(null, { status: 204 });
		},
	});
	const store = memorySendStore({ clock });

	/** Another process: a client and a sender of its own over the same store. */
	function createProcess(
		options: Partial<SenderOptions> & { fetch?: typeof local.clientOptions.fetch; clock?: Clock } = {},
	) {
		const { fetch = local.clientOptions.fetch, clock: own = clock, ...rest } = options;
		const gateway = new MessagingGateway({ ...local.clientOptions, fetch, clock: own, logLevel: "off" });
		return createSender({
			gateway,
			store,
			digestSecret: DIGEST_SECRET,
			...(withoutCallbacks
				? {}
				: { statusCallback: (token: string) => `https://app.example/hooks/${token}` }),
			...given,
			...rest,
		});
	}

	/** The POSTs that the gateway has seen. */
	const posts = () => local.requests.filter(({ method }) => method === "POST");

	return { local, clock, store, events, createProcess, posts, sender: createProcess() };
}

export type World = ReturnType<typeof createWorld>;

/** What happens in a world, to the result of its last call, or to those of several. */
export type Play = (world: World) => Promise<unknown>;

/** A play, in a world that may have options. */
export type Story = Play | readonly [options: WorldOptions, play: Play];

/** What a story comes to, whole, and how many POSTs the gateway has seen; no error shows what is private. */
export async function tell(story: Story): Promise<string> {
	const [options, play] = typeof story === "function" ? [{}, story] : story;
	const world = createWorld(options);
	const ended = await play(world).catch((error: unknown) => error);
	return `${world.posts().length} posted: ${describeEnded(ended)}`;
}

export const sendAgain: Play = ({ sender }) => sender.send(KEY, TEXT);

/** Steps one after the other; what comes of the last one. */
export const first =
	(...steps: readonly Play[]): Play =>
	async (world) => {
		let ended: unknown;
		for (const step of steps) ended = await step(world);
		return ended;
	};

/** Each step's result or error. */
export const each =
	(...steps: readonly Play[]): Play =>
	async (world) => {
		const ended: string[] = [];
		for (const step of steps) ended.push(describeEnded(await step(world).catch((error: unknown) => error)));
		return ended.join(", then ");
	};

export const wait =
	(ms: number): Play =>
	({ clock }) =>
		clock.advance(ms);

/** A network that never answers, and the signal of the first request, once it was made. */
export function hangingFetch() {
	const posted = Promise.withResolvers<AbortSignal | null | undefined>();
	const fetch: typeof globalThis.fetch = (_url, init) => {
		posted.resolve(init?.signal);
		return new Promise<never>(() => undefined);
	};
	return { fetch, posted: posted.promise };
}

/** A result, a verdict or an error; of a list, each; anything else as it is. */
export function describeEnded(ended: unknown): string {
	if (Array.isArray(ended)) return ended.map(describeEnded).join(", then ");
	if (ended instanceof Error) return describeError(ended);
	const isResult = typeof ended === "object" && ended !== null && "status" in ended;
	return isResult ? describeResult(ended as SendResult | SendVerdict) : String(ended);
}

function describeError(error: Error): string {
	for (const shown of [String(error), inspect(error), JSON.stringify(error)])
		for (const hidden of [TO.slice(2), TEXT.text, KEY, "private"]) expect(shown).not.toContain(hidden);
	const { outcome, code, message, attempts, status, ...rest } = error as Error & Record<string, unknown>;
	const ms = rest["retryAfterMs"] ?? rest["limitMs"];
	const facts = [outcome, code, status, ms && `${ms} ms`].filter((fact) => fact !== undefined);
	// What the client says of its calls is no concern of a sender's.
	return `${facts.join(" ")}${attempts === undefined ? `: ${message}` : ` after ${attempts} attempts`}`;
}

function describeResult(result: SendResult | SendVerdict): string {
	if (result.status === "in_progress") return `in progress for ${result.retryAfterMs} ms`;
	const kept = "kept" in result && result.kept ? ", kept" : "";
	if (result.status === "unresolved") return `unresolved${kept}: ${describeEvidence(result.evidence)}`;
	if (result.status !== "accepted") return `${result.status}${kept}`;
	const id = result.messageId === undefined ? ", without an id" : "";
	const message = "message" in result && result.message !== undefined ? ", with its message" : "";
	return `accepted by ${result.proof}${id}${message}${kept}`;
}

function describeEvidence({ attempts, sendAgainAfterMs }: SendEvidence): string {
	const shown = attempts.map(({ outcome = "no end", errorCode, httpStatus, mapping, hasCallback }) => {
		const counts = [mapping?.outbound, mapping?.inbound, mapping?.hasEqualSignatures];
		const hint = mapping && `mapping ${counts.filter((count) => count !== undefined).join("/")}`;
		const facts = [outcome, errorCode, httpStatus, hint, hasCallback ? undefined : "without callback"];
		return facts.filter((fact) => fact !== undefined).join(" ");
	});
	return `${shown.join(" and ")}, send_again in ${sendAgainAfterMs} ms`;
}

/**
 * The store, one of whose replacements goes another way: the first one of a fresh send is its posting mark, the second one
 * records the end.
 * @param play - is given the replacement, and resolves to what the sender hears of it.
 */
export function replaceOnce(
	store: SendStore,
	nth: number,
	play: (replace: () => Promise<boolean>) => Promise<boolean>,
): SendStore {
	let replaced = 0;
	return {
		...store,
		async replace(...given) {
			const replace = () => store.replace(...given);
			return ++replaced === nth ? play(replace) : replace();
		},
	};
}

/** The clock of a process that has died or is suspended: no timer of it ends. */
export function stoppedClock(clock: Clock): Clock {
	const now = clock.now();
	return { now: () => now, setTimer: () => () => undefined };
}

/** A process that dies at a step of its store: the step is done or not, and nothing follows. */
export function dieAt(
	store: SendStore,
	step: StoreStep,
	nth: number,
	isDone: boolean,
	onDeath = () => {},
): SendStore {
	let left = nth;
	let isDead = false;
	const wrap =
		<Given extends unknown[], Result>(name: StoreStep, method: (...given: Given) => Promise<Result>) =>
		async (...args: Given): Promise<Result> => {
			const never = new Promise<never>(() => undefined);
			if (isDead) return never;
			if (name === step && --left === 0) {
				isDead = true;
				if (isDone) await method(...args);
				onDeath();
				return never;
			}
			return method(...args);
		};
	return {
		read: wrap("read", store.read),
		insert: wrap("insert", store.insert),
		replace: wrap("replace", store.replace),
		find: wrap("find", store.find),
		list: wrap("list", store.list),
	};
}
