import { createAgentActor, createContactActor } from "./actors.ts";
import { asAdjustable } from "./adjustable-clock.ts";
import { FaultPlan } from "./faults.ts";
import { createRequestHandler } from "./handle-request.ts";
import { type IncomingRequest, toIncomingRequest } from "./incoming.ts";
import type { LocalClientOptions, LocalGateway } from "./local-gateway.ts";
import type { LocalGatewayOptions } from "./options.ts";
import { resolveSettings } from "./settings.ts";
import { Traffic } from "./traffic.ts";
import { createWorld } from "./world.ts";

/**
 * Creates a gateway in process: signed requests, its rules, delivery statuses and webhooks, as a server has
 * them. It opens no port and runs wherever `fetch` does; `listen` of `messaging-gateway/testing/node` puts it
 * behind one.
 *
 * @example
 * ```ts
 * await using local = createLocalGateway();
 * const gateway = new MessagingGateway(local.clientOptions);
 * await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
 * await local.settled();
 * console.log(local.sent[0]?.status); // "read"
 * ```
 * @throws ConfigurationError when an option is unusable, or the profile lacks what only this side needs.
 */
export function createLocalGateway(options: LocalGatewayOptions = {}): LocalGateway {
	const settings = resolveSettings(options);
	const { baseUrl, appId, appSecret, webhookSecret } = settings;
	const clock = asAdjustable(options.clock);
	const plan = new FaultPlan();
	const traffic = new Traffic(settings.maxEntries);
	let world = createWorld(settings, clock, plan);
	let handleRequest = createRequestHandler(world, plan, traffic);

	const handle = async (request: IncomingRequest): Promise<Response> => {
		if (world.scheduler.isStopped) throw new TypeError("fetch failed: the local gateway was disposed of");
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
		clock,
		...(options.profile === undefined ? {} : { profile: settings.profile }),
	};

	return {
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
		faults: plan.controls,
		get sent() {
			const outbound = world.messages.all().filter(({ message }) => message.outbound);
			return outbound.map(({ message }) => ({ ...message }));
		},
		get requests() {
			return traffic.records();
		},
		get deliveries() {
			return world.deliveries.records();
		},
		settled: () => world.scheduler.settled(),
		reset() {
			world.scheduler.stop();
			plan.clear();
			traffic.clear();
			world = createWorld(settings, clock, plan);
			handleRequest = createRequestHandler(world, plan, traffic);
		},
		async [Symbol.asyncDispose]() {
			world.scheduler.stop();
		},
	};
}

/** Rejects as a network `fetch` does when the caller gives up; the gateway carries the request out all the same. */
function abortable(answer: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) {
			reject(signal.reason);
			return;
		}
		const onAbort = (): void => reject(signal.reason);
		signal.addEventListener("abort", onAbort, { once: true });
		answer()
			.then(resolve, reject)
			.finally(() => signal.removeEventListener("abort", onAbort));
	});
}
