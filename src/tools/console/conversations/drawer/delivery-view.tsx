import { useState } from "preact/hooks";
import type { DeliveryView as Delivery } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { CopySource } from "../copy-source.tsx";
import { Icon } from "../icons.tsx";
import { describeNextAttempt, prettyBody } from "../state/delivery-facts.ts";
import { AttemptDetails } from "./attempt-details.tsx";
import { BodyView, Id } from "./body-view.tsx";
import { ExplainPanel } from "./explain-panel.tsx";

/** A webhook: what can be done with it, its attempts with their responses, and its body. */
export function DeliveryView({ delivery }: { delivery: Delivery }) {
	const { eventId, url, body, attempts } = delivery;
	const next = describeNextAttempt(delivery);
	return (
		<>
			<DeliveryActions delivery={delivery} />
			<p>
				{url !== "" && <code>POST {url}</code>}
				<br />
				<span class="muted">{next}</span>
			</p>
			<ol class="rows" aria-label="Attempts">
				{attempts.map((attempt, at) => (
					// biome-ignore lint/suspicious/noArrayIndexKey: attempts are only ever added at the end
					<AttemptDetails key={at} attempt={attempt} number={at + 1} isLast={at === attempts.length - 1} />
				))}
			</ol>
			<BodyView title="Body" body={body} />
			<Id of="event" value={eventId} />
		</>
	);
}

function DeliveryActions({ delivery }: { delivery: Delivery }) {
	const { act } = useConsole();
	const [opened, setOpened] = useState<"edit" | "explain">();
	const { eventId, attempts } = delivery;
	const last = attempts.at(-1);
	const toggle = (panel: "edit" | "explain"): void => setOpened(opened === panel ? undefined : panel);
	const sent = last && { ...delivery, headers: last.headers, body: last.sentBody ?? delivery.body };
	return (
		<>
			<div class="actions">
				<button
					type="button"
					onClick={() => void act({ type: "redeliver", eventId }, "Delivered, with the same event id.")}
				>
					<Icon name="redeliver" /> Try now
				</button>
				<button type="button" aria-expanded={opened === "edit"} onClick={() => toggle("edit")}>
					<Icon name="file" /> Edit
				</button>
				{sent !== undefined && (
					<>
						<button type="button" aria-expanded={opened === "explain"} onClick={() => toggle("explain")}>
							<Icon name="mapping" /> Explain
						</button>
						<CopySource
							label="Copy as curl"
							of="The command"
							write={async () => (await import("./write-code.ts")).writeWebhookCurl(sent)}
						/>
						<CopySource
							label="Copy as test"
							of="The test"
							write={async () => (await import("./write-code.ts")).writeWebhookTest(sent)}
						/>
					</>
				)}
			</div>
			{opened === "edit" && <EditBody delivery={delivery} onClose={() => setOpened(undefined)} />}
			{opened === "explain" && last !== undefined && sent !== undefined && (
				<ExplainPanel attempt={last} body={sent.body} />
			)}
		</>
	);
}

function EditBody({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
	const { act } = useConsole();
	const [body, setBody] = useState(() => prettyBody(delivery.body));
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
				<span>
					Body to send. It is signed as written and goes to the same URL; the event keeps its own body.
				</span>
				<textarea
					class="code"
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
				<button type="submit" class="primary">
					Sign and send
				</button>
			</div>
		</form>
	);
}
