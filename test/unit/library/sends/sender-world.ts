import { type Clock, MessagingGateway, type Profile } from "messaging-gateway";
import { createSender, memorySendStore, type SenderOptions, type SendStore } from "messaging-gateway/sends";
import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGatewayOptions,
} from "messaging-gateway/testing";
import { verifyWebhookRequest, type WebhookEvent } from "messaging-gateway/webhooks";

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
