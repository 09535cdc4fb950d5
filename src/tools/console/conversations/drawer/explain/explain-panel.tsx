import { useMemo, useRef, useState } from "preact/hooks";
import type { DeliveryView } from "../../../../control/contract.ts";
import type { Explanation } from "../../../../doctor/webhooks/explanation.ts";
import { ActionForm, TextField } from "../../../parts/fields.tsx";
import { useConsole } from "../../console-context.ts";
import { BodyDigest, BodyField } from "./body-field.tsx";
import { NO_BODY, readBodyInput } from "./body-input.ts";
import { explainDelivery, findSentAttempt } from "./explain-delivery.ts";
import { ExplanationView } from "./explanation-view.tsx";
import { describeHeaders, readHeaders } from "./read-headers.ts";

const NOTHING = { body: NO_BODY, headers: "", secret: "" };

/**
 * Compares what was sent with what the receiver got. What was sent alone says nothing: the gateway signs with its own secret.
 */
export function ExplainPanel({ delivery }: { delivery: DeliveryView }) {
	const { client, attempt } = useConsole();
	const [received, setReceived] = useState(NOTHING);
	const [run, setRun] = useState<{ received: typeof NOTHING; explanation: Explanation }>();
	const result = useRef<HTMLDivElement>(null);
	const body = useMemo(() => readBodyInput(received.body), [received.body]);
	const headers = readHeaders(received.headers);
	const hasHeaders = received.headers.trim() !== "";
	const sent = findSentAttempt(delivery, headers.headers);
	if (sent === undefined) return null;

	const change = (fields: Partial<typeof NOTHING>): void =>
		setReceived((before) => ({ ...before, ...fields }));
	const explain = async (): Promise<void> => {
		const credentials = await client.get("getCredentials");
		const given = {
			body: body.bytes,
			headers: hasHeaders ? headers.headers : undefined,
			secret: received.secret === "" ? undefined : received.secret,
		};
		setRun({ received, explanation: explainDelivery(sent, given, credentials) });
		// It is below the fields, and on a small screen out of sight.
		requestAnimationFrame(() => result.current?.scrollIntoView({ block: "nearest" }));
	};
	const isNothing = body.bytes === undefined && !hasHeaders && received.secret === "";
	return (
		<ActionForm class="stack card" onSubmit={() => void attempt(explain)}>
			<p class="muted">
				Paste what your receiver verified. What you leave empty is as it was sent. Nothing that you paste
				leaves this page.
			</p>
			<BodyField body={received.body} onBody={(pasted) => change({ body: pasted })} problem={body.problem} />
			<div>
				<BodyDigest of="Sent" body={sent.body} />
				{body.bytes !== undefined && <BodyDigest of="Received" body={body.bytes} />}
			</div>
			<TextField
				label="Headers that the receiver got"
				rows={3}
				value={received.headers}
				onInput={(pasted) => change({ headers: pasted })}
				hint={hasHeaders ? describeHeaders(headers) : "Lines, JSON, or the output of curl -v."}
			/>
			<TextField
				label="Secret that the receiver has"
				isSecret
				value={received.secret}
				onInput={(secret) => change({ secret })}
			/>
			<div class="dialog-actions beside">
				<button type="submit" class="primary" disabled={isNothing || body.problem !== undefined}>
					Compare
				</button>
			</div>
			<div role="status" ref={result}>
				{run?.received === received && <ExplanationView explanation={run.explanation} />}
			</div>
		</ActionForm>
	);
}
