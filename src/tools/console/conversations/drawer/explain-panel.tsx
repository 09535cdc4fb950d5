import { useState } from "preact/hooks";
import type { AttemptView } from "../../../control/contract.ts";
import type { Explanation } from "../../../doctor/webhooks/explanation.ts";
import { Prose } from "../../parts/prose.tsx";
import { useConsole } from "../console-context.ts";
import { Field } from "../controls.tsx";

/**
 * Compares what was sent with what the receiver got. What was sent alone says nothing: the gateway signs with its own secret.
 */
export function ExplainPanel({ attempt, body }: { attempt: AttemptView; body: string }) {
	const { client, notify } = useConsole();
	const [received, setReceived] = useState("");
	const [secret, setSecret] = useState("");
	const [explanation, setExplanation] = useState<Explanation>();
	const explain = async (): Promise<void> => {
		try {
			const [{ explainDelivery }, credentials] = await Promise.all([
				import("./explain-delivery.ts"),
				client.get("getCredentials"),
			]);
			const sent = { body, secret: credentials.webhookSecret };
			setExplanation(explainDelivery(attempt, sent, { body: received, secret }, credentials));
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
			<div role="status">{explanation !== undefined && <Result explanation={explanation} />}</div>
		</form>
	);
}

function Result({ explanation: { isValid, code, findings } }: { explanation: Explanation }) {
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
