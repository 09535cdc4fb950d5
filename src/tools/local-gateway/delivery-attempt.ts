import type { Profile } from "../../library/catalogue/profile.ts";
import { createAbortController } from "../../library/host.ts";
import type { Clock } from "../../library/runtime.ts";
import { utf8 } from "../../library/signing/bytes.ts";
import { signWebhook } from "../../library/webhooks/sign-webhook.ts";
import { toolFetch, toolProxy } from "../tool-fetch.ts";
import { checkDeliverySignature, type SignatureCheck } from "./check-signature.ts";
import type { Delivery, ReceiverResponse } from "./delivery.ts";
import { describeFetchFailure, type ReceiverFailure } from "./failed-attempt.ts";
import type { WebhookFaultChoice } from "./fault-kinds.ts";
import type { WebhookReceiver } from "./options.ts";
import type { Scheduler } from "./scheduler.ts";
import type { GatewaySettings } from "./settings.ts";
import type { Supervision } from "./supervision.ts";
import type { WebhookFaultPlan } from "./webhook-faults.ts";

/** How long a receiver may take to respond. Assumed: the specification shows no limit. */
export const ATTEMPT_TIMEOUT_MS = 10_000;

const MAX_RETRY_AFTER_MS = 60_000;

/** The age of a stale timestamp in seconds: more than the day that a handler may accept. */
const STALE_BY_SECONDS = 2 * 86_400;

const WRONG_SECRET = "a-secret-that-nobody-shares";

/** The status of the receiver's response, or why there was none. */
type AttemptOutcome = { readonly status: number } | { readonly status?: never; readonly error: string };

/** The end of an attempt. */
interface DeliveryAttemptResult {
	readonly outcome: AttemptOutcome;
	readonly failure?: ReceiverFailure | undefined;
	readonly response?: ReceiverResponse | undefined;
	/** The receiver's `Retry-After`, within bounds. */
	readonly retryAfterMs?: number;
	readonly durationMs?: number;
}

const TIMED_OUT: DeliveryAttemptResult = {
	outcome: { error: `no complete response within ${ATTEMPT_TIMEOUT_MS / 1_000} s` },
	failure: "timed_out",
};

const NOT_ENDED: DeliveryAttemptResult = { ...TIMED_OUT, failure: "not_ended" };

/** An attempt that has begun. */
export interface StartedAttempt {
	readonly headers: Record<string, string>;
	/** The signed timestamp, in Unix seconds. */
	readonly timestamp: number;
	/** The body that is sent, if it is not the delivery's. */
	readonly sentBody: string | undefined;
	readonly check: SignatureCheck | undefined;
	/** Never rejects. */
	readonly result: Promise<DeliveryAttemptResult>;
}

/** Makes one attempt at a delivery under an event id, perhaps with an edited body. */
export type DeliveryAttempt = (
	delivery: Delivery,
	faults: WebhookFaultPlan,
	eventId: string,
	editedBody?: string,
) => StartedAttempt;

/** The dependencies of delivery attempts. */
export interface AttemptTools {
	/** The clock of signatures and time-outs: that of {@link Supervision}, or the gateway's. */
	readonly signatureClock: Clock;
	readonly scheduler: Scheduler;
	readonly webhookSecret: string;
	readonly profile: Profile;
	readonly webhooks: GatewaySettings["webhooks"];
	/** Receives every delivery, whatever its URL, if `deliverTo` is a function. */
	readonly receiver: WebhookReceiver | undefined;
	readonly destinationOf: (delivery: Delivery) => string | undefined;
	/** Whether each attempt is verified as its receiver would do it. */
	readonly isChecked: boolean;
	readonly readResponse: Supervision["readResponse"];
}

/**
 * Creates the function that makes attempts. By default it signs each one again, since a receiver may reject the first
 * timestamp as too old. The specification shows neither.
 */
export function createDeliveryAttempt(tools: AttemptTools): DeliveryAttempt {
	return (delivery, faults, eventId, editedBody) => {
		const nowMs = tools.signatureClock.now();
		const first = delivery.attempts[0]?.recorded;
		const signedAt =
			tools.webhooks.retryTimestamp === "first" && first !== undefined
				? first.timestamp
				: Math.floor(nowMs / 1000);
		const timestamp = signedAt - (faults.take("stale") ? STALE_BY_SECONDS : 0);
		const signedBody = editedBody ?? delivery.body;
		const headers = signWebhook({
			body: signedBody,
			// Bytes, which no profile decodes.
			secret: faults.take("wrong_signature") ? utf8(WRONG_SECRET) : tools.webhookSecret,
			timestamp,
			eventId,
			profile: tools.profile,
		});
		// With one digit changed, the body is still JSON of the same length, so only the signature is wrong.
		const sentBody = faults.take("tamper")
			? signedBody.replace(/\d/, (digit) => (digit === "9" ? "8" : "9"))
			: editedBody;
		const body = sentBody ?? delivery.body;
		const check = tools.isChecked ? checkDeliverySignature({ body, headers }, nowMs, tools) : undefined;
		const attempt = { headers, timestamp, sentBody, check };
		const url = tools.destinationOf(delivery);
		if (url === undefined) {
			const outcome = { error: "the destination was unset" };
			return { ...attempt, result: Promise.resolve({ outcome, failure: "no_destination" }) };
		}
		delivery.url = url;
		const repeat = faults.take("repeat_attempt")?.fault;
		const init = { headers, body };
		const result = repeat === undefined ? post(url, init, tools) : postTwice(url, init, tools, repeat);
		return { ...attempt, result };
	};
}

/** Posts what the network repeats. */
function postTwice(
	url: string,
	init: RequestInit,
	tools: AttemptTools,
	{ response, delayMs = 0 }: Extract<WebhookFaultChoice, { kind: "repeat_attempt" }>,
): Promise<DeliveryAttemptResult> {
	const { scheduler } = tools;
	const first = post(url, init, tools);
	const copy =
		delayMs === 0
			? post(url, init, tools)
			: new Promise<DeliveryAttemptResult>((resolve) => {
					scheduler.after(delayMs, () => resolve(post(url, init, tools)));
				});
	if (response === "first") return first;
	if (delayMs < ATTEMPT_TIMEOUT_MS) return copy;
	return new Promise((resolve) => {
		scheduler.after(ATTEMPT_TIMEOUT_MS, () => resolve(TIMED_OUT));
	});
}

/** Posts once, which counts as work in flight. */
function post(url: string, init: RequestInit, tools: AttemptTools): Promise<DeliveryAttemptResult> {
	return tools.scheduler.track(postInTime(url, init, tools));
}

async function postInTime(
	url: string,
	init: RequestInit,
	tools: AttemptTools,
): Promise<DeliveryAttemptResult> {
	const startedAt = tools.signatureClock.now();
	const timeout = createAbortController();
	let hasBegun = false;
	const noteResponse = (): void => {
		hasBegun = true;
	};
	const whenTimedOut = new Promise<DeliveryAttemptResult>((resolve) => {
		timeout.signal.addEventListener("abort", () => resolve(hasBegun ? NOT_ENDED : TIMED_OUT));
	});
	const cancelTimeout = tools.signatureClock.setTimer(() => timeout.abort(), ATTEMPT_TIMEOUT_MS);
	const cancelOnStop = tools.scheduler.onStop(() => timeout.abort());
	try {
		const request = { ...init, method: "POST", redirect: "manual", signal: timeout.signal } as const;
		const result = await Promise.race([send(url, request, tools, noteResponse), whenTimedOut]);
		return { ...result, durationMs: tools.signatureClock.now() - startedAt };
	} finally {
		cancelTimeout();
		cancelOnStop();
	}
}

/** A minute at most: an application under test need not wait longer. A date counts as none. */
function readRetryAfter(headers: Headers): number {
	const seconds = /^\d+$/.exec(headers.get("Retry-After") ?? "")?.[0] ?? 0;
	return Math.min(Number(seconds) * 1_000, MAX_RETRY_AFTER_MS);
}

async function send(
	url: string,
	init: RequestInit & { signal: AbortSignal },
	{ receiver, readResponse }: AttemptTools,
	noteResponse: () => void,
): Promise<DeliveryAttemptResult> {
	try {
		const pending = receiver === undefined ? toolFetch(url, init) : receiver(new Request(url, init));
		const response = await pending;
		noteResponse();
		return {
			outcome: { status: response.status },
			retryAfterMs: readRetryAfter(response.headers),
			response: await readResponse(response, init.signal),
		};
	} catch (error) {
		const { failure, error: reason } = describeFetchFailure(
			error,
			url,
			receiver === undefined ? toolProxy(new URL(url)) : undefined,
		);
		return { outcome: { error: reason }, failure };
	}
}
