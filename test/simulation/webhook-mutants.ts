// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of sources.
import type { SimulatedMutant } from "./play.ts";

const RUNNER = "src/library/webhooks/claim-runner.ts";
const HANDLER = "src/library/webhooks/create-webhook-handler.ts";
const SIGNATURE = "src/library/webhooks/verify-signature.ts";
const LEASE = "src/library/webhooks/lease.ts";
const MEMORY = "src/library/stores/memory.ts";
const CLAIM = "src/library/webhooks/claim.ts";
const FAILURE = "src/library/webhooks/report-failure.ts";
const UNDER_LEASE = "src/library/webhooks/run-under-lease.ts";

export const WEBHOOK_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "acknowledged-while-in-flight",
		file: RUNNER,
		find: 'return respondWith(503, "in_flight", claim.retryAfterMs);',
		replacement: "return ACKNOWLEDGED_BEFORE;",
	},
	{
		id: "acknowledged-without-a-store",
		file: FAILURE,
		find: 'return respondWith(503, "store_unavailable", RETRY_MS);',
		replacement: 'return { status: 200, body: "" };',
	},
	{
		id: "handler-not-awaited",
		file: UNDER_LEASE,
		find: "if (Object(returned) !== returned)",
		replacement: "if (true)",
	},
	{
		id: "failed-run-completed",
		file: CLAIM,
		find: "return release(processing, token).then((isHeld) =>",
		replacement: "return markDone(processing, token).then((isHeld) =>",
	},
	{
		id: "lost-lease-acknowledged",
		file: CLAIM,
		find: 'if (claim?.status === "done") return ACKNOWLEDGED;',
		replacement: "if (claim !== undefined) return ACKNOWLEDGED;",
		seeds: 100,
	},
	{
		id: "lease-not-extended",
		file: LEASE,
		find: "this.#watch(held);",
		replacement: "this.#armEnd();",
	},
	{
		id: "signal-does-not-fire",
		file: LEASE,
		find: "this.#options.abort(error);",
		replacement: "",
		seeds: 100,
	},
	{
		id: "lease-held-without-end",
		file: LEASE,
		find: "if (isHeld === true) {",
		replacement: "if (isHeld !== false) {",
		seeds: 400,
	},
	{
		id: "started-with-a-lease-that-is-over",
		file: RUNNER,
		find: "if (!held().isCertain) {",
		replacement: "if (false as boolean) {",
	},
	{
		id: "lease-not-compared",
		file: MEMORY,
		find: 'if (known?.state === "held" && known.leaseEndsAt > now) {',
		replacement: "if (false as boolean && known !== undefined) {",
	},
	{
		id: "token-not-compared",
		file: MEMORY,
		find: 'if (record === undefined || record.token !== token || record.state === "free") return false;',
		replacement: "if (record === undefined) return false;",
	},
	{
		id: "token-does-not-grow",
		file: MEMORY,
		find: "const token = Math.max((known?.token ?? forgottenToken) + 1, Math.floor(clock.now()));",
		replacement: "const token = known?.token ?? Math.floor(clock.now());",
	},
	{
		id: "done-forgotten",
		file: MEMORY,
		find: 'if (known?.state === "done") return { status: "done" };',
		replacement: "",
	},
	{
		id: "released-by-the-wrong-worker",
		file: MEMORY,
		find: 'return record?.state === "held" && record.token === token ? record : undefined;',
		replacement: 'return record?.state === "held" ? record : undefined;',
		seeds: 6_000,
	},
	{
		id: "delivery-not-bound",
		file: RUNNER,
		find: "times, binding);",
		replacement: "times);",
	},
	{
		id: "combined-claim-under-the-delivered-id",
		file: MEMORY,
		find: "const claimed = claim(boundKey, times, now);",
		replacement: "const claimed = claim(key, times, now);",
	},
	{
		id: "combined-id-ignored",
		file: RUNNER,
		find: "nameEvent(delivery, claim.boundKey);",
		replacement: "",
		seeds: 300,
	},
	{
		id: "complete-before-the-end",
		file: RUNNER,
		find: "const running = runInHook(",
		replacement: "await markDone(processing, token);\n\t\t\tconst running = runInHook(",
	},
	{
		id: "given-up-not-acknowledged",
		file: FAILURE,
		find: "const isGivenUp = error instanceof PermanentWebhookError;",
		replacement: "const isGivenUp = false;",
	},
	{
		id: "every-failure-given-up",
		file: FAILURE,
		find: "const isGivenUp = error instanceof PermanentWebhookError;",
		replacement: "const isGivenUp = true;",
	},
	{
		id: "slow-handler-acknowledged",
		file: CLAIM,
		find: 'return respondWith(503, "handler_timed_out", RETRY_MS);',
		replacement: "return ACKNOWLEDGED;",
		seeds: 150,
	},
	// Only a network that repeats deliveries, or somebody who captured them, finds these.
	{
		id: "done-kept-for-minutes",
		file: CLAIM,
		find: "return await store.complete(key, token, options.retentionMs);\n\t} catch (error) {",
		replacement: "return await store.complete(key, token, 250_000);\n\t} catch (error) {",
	},
	{
		id: "bound-while-one-clock-accepts-it",
		file: HANDLER,
		find: "receivedAt === undefined ? bindingMs(toleranceSeconds) : retentionMs",
		replacement: `receivedAt !== undefined ? retentionMs : found.event.kind === "inbound_message" ? 601_000
			: Math.max(1, (fields.timestamp + toleranceSeconds + 1) * 1000 - clock.now())`,
		seeds: 100,
	},
	{
		id: "bound-for-the-tolerance",
		file: SIGNATURE,
		find: "return rememberedMs((toleranceSeconds + 1) * 1000, Math.min(toleranceSeconds, MAX_AHEAD_SECONDS) * 1000);",
		replacement: "return toleranceSeconds * 1000;",
	},
	{
		id: "old-timestamp-accepted",
		file: SIGNATURE,
		find: "return driftSeconds >= -toleranceSeconds &&",
		replacement: "return driftSeconds >= -4 * toleranceSeconds &&",
		seeds: 100,
	},
];
