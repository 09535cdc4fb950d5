import { assertHostHas } from "../../library/host.ts";
import { decodeUtf8 } from "../../library/signing/bytes.ts";
import { createAgentActor, createContactActor } from "./actors.ts";
import { asAdjustable } from "./adjustable-clock.ts";
import { ChangeFeed } from "./change-feed.ts";
import { toRecordedDeliveries } from "./delivery.ts";
import { FaultPlan } from "./faults.ts";
import { createRequestHandler } from "./handle-request.ts";
import { type IncomingRequest, toIncomingRequest } from "./incoming.ts";
import type { LocalClientOptions, LocalGateway } from "./local-gateway.ts";
import type { LocalGatewayOptions } from "./options.ts";
import { resolveSettings } from "./settings.ts";
import { type Supervision, UNSUPERVISED } from "./supervision.ts";
import { Traffic } from "./traffic.ts";
import { createWorld, registerAgents, type World, type WorldTools } from "./world.ts";

/** The options of a gateway that are not public. */
export interface CoreOptions {
	readonly supervision?: Supervision;
	/** Fills the first world with the state of an earlier run. */
	readonly restore?: (world: World) => void;
	/** Called between the end of a world and the start of the next one. */
	readonly onReset?: () => void;
}

/** A gateway with the parts that only this package uses. */
export interface GatewayCore extends Pick<WorldTools, "settings" | "clock" | "faults"> {
	readonly local: LocalGateway;
	readonly feed: ChangeFeed;
	/** The current world; a reset replaces it. */
	getWorld(): World;
	/** Calls a listener when the gateway is closed. */
	onDispose(listener: () => void): void;
}

/** Creates a gateway in process. */
export function createGatewayCore(options: LocalGatewayOptions, core: CoreOptions = {}): GatewayCore {
	const { supervision = UNSUPERVISED, restore, onReset } = core;
	assertHostHas("AbortController", "Headers", "Request", "Response", "URL", "setTimeout");
	// Makes what reads bodies: of a `TextDecoder` that ignores `fatal` no call would be read as it was signed.
	decodeUtf8(new Uint8Array());
	const settings = resolveSettings(options);
	const { baseUrl, appId, appSecret, webhookSecret } = settings;
	const clock = asAdjustable(options.clock);
	const signatureClock = supervision.signatureClock ?? clock;
	const feed = new ChangeFeed();
	const faults = new FaultPlan(() => feed.changed({ type: "faults" }));
	const traffic = new Traffic(settings.maxEntries);
	const disposeListeners = new Set<() => void>();
	const tools = { settings, clock, faults, feed, supervision };
	let world = createWorld(tools);
	restore?.(world);
	registerAgents(world);
	let handleRequest = createRequestHandler(world, { faults, traffic, signatureClock });

	const handle = async (request: IncomingRequest): Promise<Response> => {
		if (world.scheduler.isStopped) throw new TypeError("fetch failed: the local gateway was closed");
		return handleRequest(request);
	};
	const fetch = (request: Request): Promise<Response> => {
		return abortable(() => handle(toIncomingRequest(request)), request.signal);
	};
	const clientOptions: LocalClientOptions = {
		baseUrl,
		appId,
		appSecret,
		fetch: (url, init) => fetch(new Request(url, init)),
		dangerouslyAllowBrowser: true,
		clock: signatureClock,
		...(Object.keys(settings.profile).length === 0 ? {} : { profile: settings.profile }),
	};

	const close = async (): Promise<void> => {
		world.scheduler.stop();
		for (const listener of disposeListeners) listener();
	};
	const local: LocalGateway = {
		fetch,
		handle,
		baseUrl,
		appId,
		appSecret,
		webhookSecret,
		clientOptions,
		clock,
		contact: (number) => createContactActor(() => world, number),
		agent: (number) => createAgentActor(() => world, number),
		faults: faults.controls,
		get sent() {
			const outbound = world.messages.all().filter(({ message }) => message.outbound);
			return outbound.map(({ message }) => ({ ...message }));
		},
		get requests() {
			return traffic.records();
		},
		get deliveries() {
			return toRecordedDeliveries(world.deliveries.all());
		},
		settled: () => world.scheduler.settled(),
		reset() {
			world.scheduler.stop();
			faults.clear();
			traffic.clear();
			onReset?.();
			world = createWorld(tools);
			registerAgents(world);
			handleRequest = createRequestHandler(world, { faults, traffic, signatureClock });
			feed.reset();
		},
		close,
		[Symbol.asyncDispose]: close,
	};
	return {
		local,
		settings,
		clock,
		faults,
		feed,
		getWorld: () => world,
		onDispose: (listener) => disposeListeners.add(listener),
	};
}

/** Rejects like `fetch` when the signal aborts; a request that has started is still processed. */
function abortable(respond: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) {
			reject(signal.reason);
			return;
		}
		const onAbort = (): void => reject(signal.reason);
		signal.addEventListener("abort", onAbort, { once: true });
		respond()
			.then(resolve, reject)
			.finally(() => signal.removeEventListener("abort", onAbort));
	});
}
