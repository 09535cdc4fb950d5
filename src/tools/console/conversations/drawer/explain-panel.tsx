import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import type { AttemptView } from "../../../control/contract.ts";
import { ActionForm, TextField } from "../../parts/fields.tsx";
import { useConsole } from "../console-context.ts";

/**
 * Compares what was sent with what the receiver got. What was sent alone says nothing: the gateway signs with its own secret.
 */
export function ExplainPanel({ attempt, body }: { attempt: AttemptView; body: string }) {
	const { client, attempt: perform } = useConsole();
	const [received, setReceived] = useState("");
	const [secret, setSecret] = useState("");
	const [result, setResult] = useState<ComponentChild>();
	const explain = async (): Promise<void> => {
		const [{ explainDelivery, Result }, credentials] = await Promise.all([
			import("./explain-delivery.tsx"),
			client.get("getCredentials"),
		]);
		const sent = { body, secret: credentials.webhookSecret };
		const explanation = explainDelivery(attempt, sent, { body: received, secret }, credentials);
		setResult(<Result explanation={explanation} />);
	};
	return (
		<ActionForm class="stack card" onSubmit={() => void perform(explain)}>
			<p class="muted">
				Paste what your receiver verified: the gateway knows what it sent, and shows what differs. Nothing
				leaves this page.
			</p>
			<TextField
				label="The body that the receiver got; empty for what was sent"
				rows={4}
				value={received}
				onInput={setReceived}
			/>
			<TextField
				label="The secret that the receiver has; empty for the gateway's"
				isSecret
				value={secret}
				onInput={setSecret}
			/>
			<div class="dialog-actions beside">
				<button type="submit" class="primary" disabled={received === "" && secret === ""}>
					Compare
				</button>
			</div>
			<div role="status">{result}</div>
		</ActionForm>
	);
}
