import type { ExplainInput } from "../input/explain-input.ts";
import { BodyField } from "./body-field.tsx";
import { HeadersField } from "./headers-field.tsx";
import { ReceiverFields } from "./receiver-fields.tsx";
import { SecretFields } from "./secret-fields.tsx";

interface DeliveryFormProps {
	readonly input: ExplainInput;
	readonly onChange: (input: ExplainInput) => void;
	readonly onExplain: () => void;
	readonly onClear: () => void;
}

/** The received delivery, and the receiver's settings. */
export function DeliveryForm({ input, onChange, onExplain, onClear }: DeliveryFormProps) {
	return (
		<>
			<section class="panel" aria-labelledby="delivery-title">
				<h2 id="delivery-title">The delivery</h2>
				<HeadersField
					text={input.headers}
					vendor={input.vendor}
					onText={(headers) => onChange({ ...input, headers })}
				/>
				<BodyField body={input.body} onBody={(body) => onChange({ ...input, body })} />
			</section>
			<section class="panel" aria-labelledby="receiver-title">
				<h2 id="receiver-title">The receiver</h2>
				<SecretFields input={input} onChange={onChange} />
				<ReceiverFields input={input} onChange={onChange} />
				<div class="send-row">
					<button type="button" class="primary" onClick={onExplain} aria-keyshortcuts="Control+Enter">
						Explain
					</button>
					<span class="keys" aria-hidden="true">
						Ctrl ↵
					</span>
					<button type="button" class="link to-the-end" onClick={onClear}>
						Clear
					</button>
				</div>
			</section>
		</>
	);
}
