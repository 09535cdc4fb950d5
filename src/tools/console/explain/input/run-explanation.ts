import { type Clock, systemClock } from "../../../../library/runtime.ts";
import {
	type ExplainWebhookOptions,
	explainWebhookFailure,
} from "../../../doctor/webhooks/explain-webhook-failure.ts";
import type { Explanation } from "../../../doctor/webhooks/explanation.ts";
import type { ExplainInput } from "./explain-input.ts";
import { readBody } from "./read-body.ts";
import { readHeaders } from "./read-headers.ts";
import { readTime } from "./read-time.ts";

/** Explains the delivery in the form, or returns why it cannot be read. */
export function runExplanation(input: ExplainInput): Explanation | { readonly problem: string } {
	const body = readBody(input.body);
	if ("problem" in body) return body;
	const now = readTime(input.now);
	if (input.now.trim() !== "" && now === undefined) {
		return { problem: "The receiver’s time must be Unix time or a date." };
	}
	const { headers } = readHeaders(input.headers);
	return explainWebhookFailure({ body: body.body, headers }, toOptions(input, now));
}

/** Leaves out empty fields. Invalid values are passed on, because the explanation reports them. */
function toOptions(input: ExplainInput, now: number | undefined): ExplainWebhookOptions {
	const { secrets, appSecret, otherSecrets, vendor, toleranceSeconds } = input;
	const given = secrets.filter((secret) => secret !== "");
	const named = otherSecrets.filter(({ secret }) => secret !== "");
	return {
		// An empty secret, not `undefined`, which would mean the environment variable.
		secret: given.length === 0 ? "" : given,
		appSecret: appSecret === "" ? undefined : appSecret,
		otherSecrets: Object.fromEntries(
			named.map(({ name, secret }, at) => [name.trim() || `other ${at + 1}`, secret]),
		),
		profile: vendor.trim() === "" ? undefined : { vendor: { headerPrefix: vendor.trim() } },
		toleranceSeconds: toleranceSeconds.trim() === "" ? undefined : Number(toleranceSeconds),
		clock: now === undefined ? undefined : fixedClock(now),
	};
}

function fixedClock(now: number): Clock {
	return { ...systemClock, now: () => now };
}
