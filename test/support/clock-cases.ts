import { type NonceStore, signRequest, verifyRequest } from "messaging-gateway/signing";
import type { StoreCase } from "messaging-gateway/testing";
import { createWebhookHandler, type EventStore, signWebhook } from "messaging-gateway/webhooks";
import { CLOCK_ROWS, Clocks, playCopies, REMEMBERED_MS } from "../../src/tools/conformance/clock-cases.ts";

const SECRET = "a secret of these cases";

/** The rows of clocks with webhook handlers over the store, which has the times that handlers ask for. */
export const HANDLER_CLOCK_CASES: readonly StoreCase<EventStore>[] = CLOCK_ROWS.map((row) => ({
	name: `${row.title}: a copy under another event id runs nothing`,
	async run(createSubject) {
		const subject = await createSubject();
		const clocks = new Clocks(subject, REMEMBERED_MS);
		let runs = 0;
		const { handle } = createWebhookHandler({
			secret: SECRET,
			store: subject.store,
			clock: clocks.clock,
			// The shortest that is accepted.
			retentionMs: REMEMBERED_MS,
			on: {
				unknown: () => {
					runs++;
				},
			},
			onError: () => undefined,
		});
		await playCopies(clocks, row, async (name, signedAt, isCopy) => {
			const body = JSON.stringify({ name });
			const timestamp = Math.floor(signedAt / 1000);
			const eventId = isCopy ? `evt_copy_of_${name}` : `evt_${name}`;
			const before = runs;
			const headers = signWebhook({ body, secret: SECRET, eventId, timestamp });
			const { status } = await handle({ body, headers });
			if (status === 401) return "too old";
			return status === 200 ? (runs > before ? "new" : "known") : `${status}`;
		});
	},
}));

const NONCES: Readonly<Record<string, string>> = {
	one: "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8",
	another: "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b9",
};

const WORDS: Readonly<Record<string, string>> = {
	nonce_replayed: "known",
	timestamp_out_of_range: "too old",
};

/** The rows of clocks with gateways that verify requests over the store. */
export const GATEWAY_CLOCK_CASES: readonly StoreCase<NonceStore>[] = CLOCK_ROWS.map((row) => ({
	name: `${row.title}: a copy of a request is rejected`,
	async run(createSubject) {
		const subject = await createSubject();
		const clocks = new Clocks(subject, REMEMBERED_MS);
		const options = { secretFor: () => SECRET, nonceStore: subject.store, clock: clocks.clock };
		await playCopies(
			clocks,
			row,
			async (name, timestamp) => {
				const request = { method: "GET", url: "/health", appId: "app", nonce: NONCES[name], timestamp };
				const { headers } = signRequest({ ...request, appSecret: SECRET });
				return verifyRequest({ ...request, headers: new Headers({ ...headers }) }, options).then(
					() => "new",
					(error: unknown) => WORDS[String(Reflect.get(Object(error), "code"))] ?? String(error),
				);
			},
			0,
		);
	},
}));
