import { systemClock } from "../../../../library/runtime.ts";
import type { AttemptView, SharedSecrets } from "../../../control/contract.ts";
import { explainWebhookFailure } from "../../../doctor/webhooks/explain-webhook-failure.ts";
import type { Explanation } from "../../../doctor/webhooks/explanation.ts";
import { Prose } from "../../parts/prose.tsx";

/** What a receiver verified in the place of what was sent; empty for the same. */
export interface Received {
	readonly body: string;
	readonly secret: string;
}

/** Explains why a receiver rejects an attempt. It is loaded when it is needed, with all that knows of mistakes. */
export function explainDelivery(
	{ headers, timestamp }: Pick<AttemptView, "headers" | "timestamp">,
	sent: Received,
	received: Received,
	{ appSecret }: Pick<SharedSecrets, "appSecret">,
): Explanation {
	// A profile may have given the headers another prefix.
	const names = Object.keys(headers).map((name) => /^x-(.+)-signature$/i.exec(name)?.[1]);
	const headerPrefix = names.find((name) => name !== undefined);
	return explainWebhookFailure(
		{ headers, body: received.body === "" ? sent.body : received.body },
		{
			secret: received.secret === "" ? sent.secret : received.secret,
			appSecret,
			otherSecrets: { "the webhook secret of the gateway": sent.secret },
			...(headerPrefix === undefined ? {} : { profile: { vendor: { headerPrefix } } }),
			// The receiver got it then; the panel may be opened much later.
			clock: { ...systemClock, now: () => timestamp * 1_000 },
		},
	);
}

export function Result({ explanation: { isValid, code, findings } }: { explanation: Explanation }) {
	if (isValid) return <p class="good">With these the delivery is accepted: look for what else differs.</p>;
	return (
		<ul class="rows">
			<li class="bad">With these the delivery is rejected: {code}.</li>
			{findings.map(({ cause, certainty, message, fix }) => (
				<li key={`${cause} ${message}`}>
					<span class={`badge badge-${certainty === "certain" ? "bad" : "warn"}`}>{certainty}</span>{" "}
					<strong>
						<Prose text={message} />
					</strong>{" "}
					<Prose text={fix} />
				</li>
			))}
		</ul>
	);
}
