import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DeliveryView } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { prettyBody } from "../state/delivery-facts.ts";

/** A form that delivers a webhook once more with another body. */
export function EditBody({ delivery, onClose }: { delivery: DeliveryView; onClose: () => void }) {
	const { act } = useConsole();
	const [body, setBody] = useState(() => prettyBody(delivery.body));
	const field = useRef<HTMLTextAreaElement>(null);
	useLayoutEffect(() => {
		// The browser would put the cursor at the end.
		field.current?.setSelectionRange(0, 0);
		field.current?.focus();
	}, []);
	const send = async (): Promise<void> => {
		const action = { type: "redeliver", eventId: delivery.eventId, body } as const;
		if (await act(action, "The edited body was signed and sent, with the same event id.")) onClose();
	};
	return (
		<form
			class="stack"
			onSubmit={(event) => {
				event.preventDefault();
				void send();
			}}
		>
			<label class="field">
				<span class="field-label">
					Body to send. It is signed as written and goes to the same URL; the event keeps its own body.
				</span>
				<textarea
					ref={field}
					class="code edit-body"
					dir="auto"
					rows={12}
					spellcheck={false}
					value={body}
					onInput={(event) => setBody(event.currentTarget.value)}
				/>
			</label>
			<div class="dialog-actions">
				<button type="button" onClick={onClose}>
					Cancel
				</button>
				<button type="submit" class="primary" disabled={delivery.state === "pending"}>
					Sign and send
				</button>
			</div>
		</form>
	);
}
