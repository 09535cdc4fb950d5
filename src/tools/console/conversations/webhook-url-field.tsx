import { useEffect, useState } from "preact/hooks";
import type { AttemptView, DeliveryView } from "../../control/contract.ts";
import { ActionForm, TextField } from "../parts/fields.tsx";
import { useConsole, useGateway } from "./console-context.ts";
import { gatewayNow } from "./state/clock.ts";
import { describeAnswer, isAcknowledged } from "./state/describe-entries.ts";

const USUAL_URL = "http://localhost:3000/webhooks";

/** The event that is delivered while there is none of a message; the gateway writes its body. */
const SAMPLE = { eventId: "evt_sample", kind: "inbound_message" } as const;

/**
 * The URL where the application listens: it is saved, and tried at once. What came of it stands below, and why it failed if
 * nothing else shows the event.
 */
export function WebhookUrlField({ event }: { event?: Pick<DeliveryView, "eventId" | "kind"> | undefined }) {
	const { client, follow } = useConsole();
	const { destinations, clock } = useGateway();
	const { eventId, kind } = event ?? SAMPLE;
	const [own, other] =
		kind === "status"
			? (["statusWebhookUrl", "inboundWebhookUrl"] as const)
			: (["inboundWebhookUrl", "statusWebhookUrl"] as const);
	const [url, setUrl] = useState(destinations[own] ?? USUAL_URL);
	const [startedAt, setStartedAt] = useState<number>();
	const [attempt, setAttempt] = useState<AttemptView>();
	const [problem, setProblem] = useState<string>();
	useEffect(() => {
		if (startedAt === undefined) return undefined;
		return follow((changes) => {
			if (changes === "all") return;
			for (const change of changes) {
				if (change.type !== "delivery" || change.delivery.eventId !== eventId) continue;
				const last = change.delivery.attempts.at(-1);
				if (last !== undefined && last.at >= startedAt) setAttempt(last);
			}
		});
	}, [follow, eventId, startedAt]);
	const isTrying = startedAt !== undefined && attempt === undefined && problem === undefined;
	const saveAndTry = async (): Promise<void> => {
		const entered = /^[a-z]+:\/\//i.test(url) ? url : `http://${url}`;
		setStartedAt(gatewayNow(clock, performance.now()));
		setAttempt(undefined);
		setProblem(undefined);
		setUrl(entered);
		// One URL is for both, until they differ.
		const isForBoth = destinations[other] === null || destinations[other] === destinations[own];
		try {
			await client.act({ type: "destinations", [own]: entered, ...(isForBoth ? { [other]: entered } : {}) });
			await client.act(event === undefined ? { type: "deliver", ...SAMPLE } : { type: "redeliver", eventId });
		} catch (error) {
			setProblem(error instanceof Error ? error.message : String(error));
		}
	};
	const isGood = attempt !== undefined && isAcknowledged(attempt) && attempt.diagnosis === undefined;
	return (
		<ActionForm class="stack" onSubmit={() => void saveAndTry()}>
			<TextField
				label="URL of your webhook handler"
				isRequired
				isInvalid={problem !== undefined}
				hint={problem}
				value={url}
				onInput={(entered) => setUrl(entered.trim())}
			/>
			<div class="line">
				<button type="submit" class="primary" disabled={isTrying}>
					{isTrying ? "Trying…" : "Save and try"}
				</button>
				<span role="status" class={isGood ? "good" : "bad"}>
					{attempt && describeAnswer(attempt)}
				</span>
			</div>
			{event === undefined && attempt?.diagnosis !== undefined && (
				<p>
					{attempt.diagnosis.reason} {attempt.diagnosis.fix}
				</p>
			)}
		</ActionForm>
	);
}
