import { type ClientOptions, type CustomFetch, MessagingGateway } from "messaging-gateway";
import { type CountingClock, createCountingClock } from "./counting-clock.ts";
import { sendOverTheWire } from "./over-the-wire.ts";
import { transport } from "./transport.ts";

/** A request as it reached a scripted `fetch`. */
export interface SentRequest {
	readonly url: string;
	readonly init: RequestInit;
	readonly method: string;
	readonly headers: Headers;
	readonly body: string | undefined;
	/** When, by the client's clock. */
	readonly sentAt: number;
}

/** The result of an attempt: a response, a network error, or what a function returns for the request. */
export type Step = Response | Error | ((request: SentRequest) => Response | Promise<Response>);

/** An attempt that never ends, not even when its signal aborts. */
export const silence = (): Promise<Response> => new Promise<Response>(() => undefined);

export const SECRET = "k3y-9f2c-never-shown";

export interface ScriptedGateway {
	gateway: MessagingGateway;
	clock: CountingClock;
	requests: SentRequest[];
}

/** A client whose attempts get the steps in turn; the last step stays. */
export function scriptGateway(steps: readonly Step[], options: ClientOptions = {}): ScriptedGateway {
	const clock = createCountingClock();
	const requests: SentRequest[] = [];
	const answer = async (url: string, init: RequestInit): Promise<Response> => {
		const request = readRequest(url, init, clock.now());
		requests.push(request);
		const step = steps[Math.min(requests.length, steps.length) - 1];
		if (step === undefined) throw new Error("nothing is scripted");
		if (step instanceof Error) throw step;
		return typeof step === "function" ? step(request) : step.clone();
	};
	const fetch: CustomFetch = async (url, init) => {
		const response = await answer(url, init);
		return transport.fetch === undefined ? response : sendOverTheWire(transport.fetch, init, response);
	};
	const gateway = new MessagingGateway({
		baseUrl: "https://gateway.example",
		appId: "app-1",
		appSecret: SECRET,
		logLevel: "off",
		clock,
		fetch,
		...options,
	});
	return { gateway, clock, requests };
}

function readRequest(url: string, init: RequestInit, sentAt: number): SentRequest {
	const { method = "GET", headers, body } = init;
	return {
		url,
		init,
		method,
		headers: new Headers(headers),
		body: body instanceof Uint8Array ? new TextDecoder().decode(body) : undefined,
		sentAt,
	};
}
