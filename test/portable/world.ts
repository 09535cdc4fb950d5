import type { ClientOptions, MessagingGateway } from "messaging-gateway";
import type { LocalGateway, LocalGatewayOptions } from "messaging-gateway/testing";
import type { Library } from "./portable-case.ts";

export const USER = "+15551234567";

/** 2026-01-01T00:00:00Z, at which the vectors were signed. */
export const START_MS = 1_767_225_600_000;

/** A client and a gateway in one process, and a clock that only a test moves. */
export interface World {
	readonly local: LocalGateway;
	readonly gateway: MessagingGateway;
	/** The promise's outcome, with time passing until there is one. */
	settle<Value>(promise: PromiseLike<Value>): Promise<Value>;
}

export function createWorld(
	{ client, testing }: Library,
	options: { gateway?: LocalGatewayOptions; client?: ClientOptions } = {},
): World {
	const clock = testing.createAdjustableClock({ frozen: true, startMs: START_MS });
	const local = testing.createLocalGateway({ clock, ...options.gateway });
	const gateway = new client.MessagingGateway({ ...local.clientOptions, ...options.client });
	return {
		local,
		gateway,
		async settle(promise) {
			let isSettled = false;
			const watched = Promise.resolve(promise).finally(() => {
				isSettled = true;
			});
			watched.catch(() => undefined);
			await clock.advance(0);
			for (let seconds = 0; !isSettled; seconds++) {
				if (seconds > 600) throw new Error("the promise does not settle, however long one waits");
				await clock.advance(1_000);
			}
			return watched;
		},
	};
}

/** A clock that stands still. */
export function stoppedClock(nowMs: number) {
	return { now: () => nowMs, setTimer: () => () => undefined };
}
