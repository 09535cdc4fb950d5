import { type Clock, systemClock } from "../../../runtime.ts";
import {
	type ExplainWebhookOptions,
	explainWebhookFailure,
} from "../../../webhooks/explain/explain-webhook-failure.ts";
import type { Explanation } from "../../../webhooks/explain/explanation.ts";
import type { ExplainInput } from "./explain-input.ts";
import { readBody } from "./read-body.ts";
import { readHeaders } from "./read-headers.ts";
import { readTime } from "./read-time.ts";

/** Explains what was filled in, or says why it cannot be read. */
export function runExplanation(input: ExplainInput): Explanation | { readonly problem: string } {
	const body = readBody(input.body);
	if ("problem" in body) return body;
	const now = readTime(input.now);
	if (input.now.trim() !== "" && now === undefined) {
		return { problem: "The receiver’s time is neither Unix time nor a date." };
	}
	const { headers } = readHeaders(input.headers);
	return explainWebhookFailure({ body: body.body, headers }, toOptions(input, now));
}

/** What is left empty is left out; what is wrong is handed on, since the explanation tells it. */
function toOptions(input: ExplainInput, now: number | undefined): ExplainWebhookOptions {
	const { secrets, appSecret, otherSecrets, vendor, toleranceSeconds } = input;
	const given = secrets.filter((secret) => secret !== "");
	const named = otherSecrets.filter(({ secret }) => secret !== "");
	return {
		// The page has no environment from which a secret that is left out could come.
		secret: given.length === 0 ? "" : given,
		appSecret: appSecret === "" ? undefined : appSecret,
		otherSecrets: Object.fromEntries(
			named.map(({ name, secret }, at) => [name.trim() || `other ${at + 1}`, secret]),
		),
		profile: vendor.trim() === "" ? undefined : { vendor: { headerPrefix: vendor.trim() } },
		toleranceSeconds: toleranceSeconds.trim() === "" ? undefined : Number(toleranceSeconds),
		clock: now === undefined ? undefined : standingAt(now),
	};
}

function standingAt(now: number): Clock {
	return { ...systemClock, now: () => now };
}
