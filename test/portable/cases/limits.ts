import { assert, assertEqual, assertFails, errorOf } from "../check.ts";
import type { PortableCase } from "../portable-case.ts";
import { createWorld, USER } from "../world.ts";

/** Time-outs, abort signals and the size of responses. */
export const limitsCases: readonly PortableCase[] = [
	{
		name: "an attempt that takes too long",
		async run(library) {
			const { local, gateway, settle } = createWorld(library);
			local.faults.delay(60_000);
			await assertFails(
				() => settle(gateway.messages.sendText({ to: USER, text: "Hello" })),
				{ name: "TimeoutError", code: "timeout", scope: "attempt", limitMs: 15_000, outcome: "unknown" },
				"a slow response",
			);
		},
	},
	{
		name: "a call that takes too long",
		async run(library) {
			const { local, gateway, settle } = createWorld(library);
			local.faults.delay(5_000, { times: 10 });
			const options = { attemptTimeoutMs: 3_000, timeoutMs: 4_000, maxRetries: 9 };
			await assertFails(
				() => settle(gateway.mappings.get(USER, options)),
				{ code: "timeout", scope: "call", limitMs: 4_000, outcome: "unknown" },
				"slow responses",
			);
		},
	},
	{
		name: "a caller that aborts gets its own reason",
		async run(library) {
			const { local, gateway, settle } = createWorld(library);
			local.faults.delay(5_000);
			const controller = new AbortController();
			const call = gateway.mappings.get(USER, { signal: controller.signal });
			const reason = new Error("the user left");
			controller.abort(reason);
			assert((await errorOf(() => settle(call), "an aborted call")) === reason, "another reason");
		},
	},
	{
		name: "AbortSignal.timeout ends a call",
		async run(library) {
			const { local, gateway } = createWorld(library);
			local.faults.delay(5_000);
			const call = gateway.mappings.get(USER, { signal: AbortSignal.timeout(10) });
			await assertFails(() => call, { name: "TimeoutError" }, "a call with a signal");
		},
	},
	{
		name: "a response that is too large is not read",
		async run(library) {
			let isCancelled = false;
			const endless = new ReadableStream<Uint8Array>({
				pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
				cancel() {
					isCancelled = true;
				},
			});
			const fetch = async () => new Response(endless, { status: 200 });
			const { gateway, settle } = createWorld(library, { client: { fetch, maxResponseBytes: 10_000 } });
			await assertFails(
				() => settle(gateway.mappings.get(USER)),
				{ name: "ResponseShapeError", code: "unexpected_response", outcome: "unknown" },
				"an endless response",
			);
			assertEqual(isCancelled, true, "the stream was cancelled");
		},
	},
];
