import { useMemo, useState } from "preact/hooks";
import type { DeliveryToExplain } from "../hand-over.ts";
import { BodyField } from "./body-field.tsx";
import { type BodyInput, EMPTY_INPUT, type ExplainInput, explainInput } from "./explain-input.ts";
import { ExplanationView } from "./explanation-view.tsx";

/** A delivery whose secret is known, such as one of the local gateway. */
export interface SignedDelivery extends DeliveryToExplain {
	readonly secret: string;
}

/**
 * Explains what became of a delivery: as it was sent, or with the body that the receiver got, to paste. Its styles are
 * in explanation.css.
 * @public
 */
export function DeliveryExplanation({ delivery }: { delivery: SignedDelivery }) {
	const [received, setReceived] = useState(EMPTY_INPUT.body);
	const result = useMemo(() => explainDelivery(delivery, received), [delivery, received]);
	return (
		<>
			<BodyField label="Body that your receiver got" body={received} onBody={setReceived} />
			{received.text === "" && <p class="muted">Without it, the body that was sent is explained:</p>}
			<ExplanationView result={result} />
		</>
	);
}

/** @param received - the body that the receiver got; empty for the one that was sent. */
export function explainDelivery({ secret, ...delivery }: SignedDelivery, received: BodyInput) {
	const sent = toInput(delivery);
	return explainInput({ ...sent, secret, body: received.text === "" ? sent.body : received });
}

/** The input for a delivery that another page handed over. */
export function toInput({ headers, body, now }: DeliveryToExplain): ExplainInput {
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	return { ...EMPTY_INPUT, headers: lines.join("\n"), body: { text: body, isBase64: false }, now };
}
