import type { DeliveryView } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { Icon } from "../icons.tsx";
import { formatTime } from "../state/clock.ts";
import { AttemptDetails } from "./attempt-details.tsx";
import { BodyView } from "./body-view.tsx";

/** The details of a delivery: its URL, its attempts with their responses, and its body. */
export function DeliveryDetails({ delivery }: { delivery: DeliveryView }) {
	const { act } = useConsole();
	const { eventId, url, body, attempts, state, nextAttemptAt } = delivery;
	return (
		<div class="delivery-details">
			<p>
				<code>POST {url}</code>
			</p>
			{attempts.length === 0 ? (
				<p class="muted">No attempt yet.</p>
			) : (
				<ol class="attempts" aria-label="Attempts">
					{attempts.map((attempt, at) => (
						<AttemptDetails
							// biome-ignore lint/suspicious/noArrayIndexKey: attempts are only ever added at the end
							key={at}
							attempt={attempt}
							number={at + 1}
							isLast={at === attempts.length - 1}
						/>
					))}
				</ol>
			)}
			{nextAttemptAt !== undefined && (
				<p class="muted">The next attempt is due at {formatTime(nextAttemptAt)}.</p>
			)}
			<BodyView title="Body" body={body} />
			<button
				type="button"
				disabled={state === "pending"}
				onClick={() => void act({ type: "redeliver", eventId }, "Delivered again, with the same event id.")}
			>
				<Icon name="redeliver" /> Redeliver
			</button>
		</div>
	);
}
