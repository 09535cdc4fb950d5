/** A service worker: answers a message with the cells, long after it was installed. */
import { type Gateway, runActions } from "../actions.ts";

/** Written into the code when it is bundled. */
declare const GATEWAY: Gateway;

/** The part of `ExtendableMessageEvent` that is used. */
interface Asked extends Event {
	readonly source: { postMessage(message: unknown): void };
	waitUntil(promise: Promise<unknown>): void;
}

addEventListener("message", (event) => {
	const { source, waitUntil } = event as unknown as Asked;
	waitUntil.call(
		event,
		runActions(GATEWAY).then((cells) => source.postMessage(cells)),
	);
});
