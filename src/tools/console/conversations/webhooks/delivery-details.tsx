import type { DeliveryView } from "../../../control/contract.ts";
import { describeNextAttempt } from "../state/delivery-facts.ts";
import { AttemptDetails } from "./attempt-details.tsx";
import { BodyView } from "./body-view.tsx";
import { DeliveryActions } from "./delivery-actions.tsx";

/** The details of a delivery: its URL, its attempts with their responses, and its body. */
export function DeliveryDetails({ delivery }: { delivery: DeliveryView }) {
	const { eventId, url, body, attempts } = delivery;
	const next = describeNextAttempt(delivery);
	return (
		<div class="delivery-details">
			<p>
				{url === "" ? <span class="muted">No webhook URL yet</span> : <code>POST {url}</code>}
				<br />
				<span class="muted">
					Event <code>{eventId}</code>
				</span>
			</p>
			{attempts.length > 0 && (
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
			{next !== undefined && <p class="muted">{capitalize(next)}.</p>}
			<DeliveryActions delivery={delivery} />
			<BodyView title="Body" body={body} />
		</div>
	);
}

function capitalize(words: string): string {
	return words.charAt(0).toUpperCase() + words.slice(1);
}
