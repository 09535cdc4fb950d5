import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type RunningServer, serve } from "../../support/serve.ts";
import type { FastClock } from "./fast-clock.ts";
import { type Fault, STRUCK_HEADER, type Struck } from "./settings.ts";

/** What the proxy reports. */
export interface ProxyObserver {
	/** A send of a job is at the proxy, which does this to it. */
	onPost(struck: Struck): void;
	/** A request that was held back for minutes has arrived, and this is the gateway's status. */
	onLateArrival(job: number, status: number): void;
}

const MINUTE_MS = 60_000;
const HELD_MINUTES: Readonly<Partial<Record<Fault, number>>> = {
	"held 4 minutes": 4,
	"held 6 minutes": 6,
	"held 12 minutes": 12,
};

interface Answer {
	readonly status: number;
	readonly headers: IncomingMessage["headers"];
	readonly body: Buffer;
}

/** A proxy between the workers and the gateway, which loses, cuts and holds back what it is told to. */
export class FaultyProxy implements AsyncDisposable {
	readonly #target: URL;
	readonly #clock: FastClock;
	readonly #observer: ProxyObserver;
	#server: RunningServer | undefined;
	/** Requests that are held back. */
	held = 0;

	private constructor(target: string, clock: FastClock, observer: ProxyObserver) {
		this.#target = new URL(target);
		this.#clock = clock;
		this.#observer = observer;
	}

	static async start(target: string, clock: FastClock, observer: ProxyObserver): Promise<FaultyProxy> {
		const proxy = new FaultyProxy(target, clock, observer);
		proxy.#server = await serve((request, response) => {
			proxy.#pass(request, response).catch(() => response.destroy());
		});
		return proxy;
	}

	get url(): string {
		return this.#server?.url ?? "";
	}

	async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await buffer(request);
		const forward = (): Promise<Answer> => this.#forward(request, body);
		const header = request.headers[STRUCK_HEADER];
		const isSend = request.method === "POST" && typeof header === "string";
		const struck = isSend ? (JSON.parse(header) as Struck) : undefined;
		if (struck) this.#observer.onPost(struck);
		const { job = 0, fault } = struck ?? {};
		const minutes = fault && HELD_MINUTES[fault];
		if (minutes !== undefined) return this.#hold(job, minutes, forward);
		if (fault === "cut before") return void response.destroy();
		const { status, headers, body: answer } = await forward();
		if (fault === "cut after") response.destroy();
		else if (fault === "error page") response.writeHead(502, { "Content-Type": "text/html" }).end("<html>");
		// The answer that is lost never comes, and the connection stays open.
		else if (fault !== "lost answer") response.writeHead(status, headers).end(answer);
	}

	/** Nobody waits for the answer any more when it arrives. */
	async #hold(job: number, minutes: number, forward: () => Promise<Answer>): Promise<void> {
		this.held++;
		try {
			await this.#clock.pass(minutes * MINUTE_MS);
			const { status } = await forward();
			this.#observer.onLateArrival(job, status);
		} finally {
			this.held--;
		}
	}

	#forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
		const { promise, resolve, reject } = Promise.withResolvers<Answer>();
		const { hostname, port } = this.#target;
		const onward = httpRequest({ hostname, port, method, path: url, headers }, (incoming) => {
			buffer(incoming).then(
				(answer) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: answer }),
				reject,
			);
		});
		onward.on("error", reject).end(body);
		return promise;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#server?.[Symbol.asyncDispose]();
	}
}
