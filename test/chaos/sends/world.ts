import type { SendStore } from "messaging-gateway/sends";
import { startChild } from "../child.ts";
import { Random } from "../random.ts";
import { STORE_SERVERS } from "../stores.ts";
import type { FastClock } from "./fast-clock.ts";
import type { JobBook } from "./job-book.ts";
import { createParts } from "./open-parts.ts";
import { FaultyProxy } from "./proxy.ts";
import { RemoteGateway } from "./remote-gateway.ts";
import { SENDS_VARIABLE, type SendStoreAddress, type SendsSettings } from "./settings.ts";
import { Workers } from "./workers.ts";

/** A store, the gateway, the proxy before it, the workers and the receiver of status events. */
export interface SendsWorld extends AsyncDisposable {
	readonly clock: FastClock;
	readonly gateway: RemoteGateway;
	readonly proxy: FaultyProxy;
	readonly workers: Workers;
	readonly store: SendStore;
}

/** Starts everything, each in a process of its own but for the proxy. */
export async function startSendsWorld(
	options: { readonly store: SendStoreAddress["kind"]; readonly workers: number; readonly seed: number },
	book: JobBook,
): Promise<SendsWorld> {
	await using setup = new AsyncDisposableStack();
	const server = setup.use(await STORE_SERVERS[options.store]());
	const address = { kind: options.store, address: server.store.address };
	const nowhere = { startMs: Date.now(), store: address, gatewayUrl: "http://127.0.0.1:1", receiverUrl: "" };
	const parts = setup.use(await createParts(nowhere));
	await parts.createTable();
	const { clock } = parts;
	/** @returns the port of its server. */
	const start = async (script: string, settings: SendsSettings): Promise<string> => {
		const child = await startChild(new URL(script, import.meta.url), SENDS_VARIABLE, settings);
		setup.defer(() => void child.process.kill("SIGKILL"));
		return child.firstLine;
	};
	const receiverUrl = `http://127.0.0.1:${await start("receiver.ts", nowhere)}`;
	const settings = { ...nowhere, receiverUrl };
	const gateway = new RemoteGateway(await start("gateway.ts", settings));
	const proxy = setup.use(await FaultyProxy.start(gateway.url, clock, book));
	const workers = setup.use(
		new Workers({ ...settings, gatewayUrl: proxy.url }, clock, new Random(options.seed + 1), book),
	);
	await Promise.all(Array.from({ length: options.workers }, () => workers.start()));
	const world = { clock, gateway, proxy, workers, store: parts.store };
	const stack = setup.move();
	return { ...world, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
