import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import type { AttemptView } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { Field } from "../controls.tsx";

/**
 * Compares what was sent with what the receiver got. What was sent alone says nothing: the gateway signs with its own secret.
 */
export function ExplainPanel({ attempt, body }: { attempt: AttemptView; body: string }) {
	const { client, notify } = useConsole();
	const [received, setReceived] = useState("");
	const [secret, setSecret] = useState("");
	const [result, setResult] = useState<ComponentChild>();
	const explain = async (): Promise<void> => {
		try {
			const [{ explainDelivery, Result }, credentials] = await Promise.all([
				import("./explain-delivery.tsx"),
				client.get("getCredentials"),
			]);
			const sent = { body, secret: credentials.webhookSecret };
			const explanation = explainDelivery(attempt, sent, { body: received, secret }, credentials);
			setResult(<Result explanation={explanation} />);
		} catch (error) {
			notify({ tone: "problem", text: error instanceof Error ? error.message : String(error) });
		}
	};
	return (
		<form
			class="stack card"
			onSubmit={(event) => {
				event.preventDefault();
				void explain();
			}}
		>
			<p class="muted">
				Paste what your receiver verified: the gateway knows what it sent, and shows what differs. Nothing
				leaves this page.
			</p>
			<Field label="The body that the receiver got; empty for what was sent">
				<textarea
					class="code"
					dir="auto"
					rows={4}
					spellcheck={false}
					value={received}
					onInput={({ currentTarget }) => setReceived(currentTarget.value)}
				/>
			</Field>
			<Field label="The secret that the receiver has; empty for the gateway's">
				<input
					type="password"
					autocomplete="off"
					value={secret}
					onInput={({ currentTarget }) => setSecret(currentTarget.value)}
				/>
			</Field>
			<div class="dialog-actions">
				<button type="submit" class="primary" disabled={received === "" && secret === ""}>
					Compare
				</button>
			</div>
			<div role="status">{result}</div>
		</form>
	);
}
