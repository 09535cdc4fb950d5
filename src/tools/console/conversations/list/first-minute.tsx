import type { ComponentChildren } from "preact";
import { CopyVariables } from "../copy-variables.tsx";
import { Icon } from "../icons.tsx";
import type { Entry } from "../state/entries.ts";
import { firstSteps } from "../state/first-steps.ts";
import { WebhookUrlField } from "../webhook-url-field.tsx";
import { NewContactForm } from "./new-contact.tsx";

/** What the page is, and three steps, each green once it has happened. */
export function FirstMinute({ entries }: { entries: readonly Entry[] }) {
	const { hasCalled, hasAnswered, hasWritten } = firstSteps(entries);
	return (
		<section class="welcome stack" aria-labelledby="welcome-title">
			<h3 id="welcome-title">
				Here you play your contacts, and see each webhook and each call of your app; nothing reaches a real
				phone.
			</h3>
			<ol class="stack">
				<Step title="1. Connect your app" isDone={hasCalled}>
					<p class="muted">
						Paste the variables into its <code>.env</code>, and start it:{" "}
						<code>node --env-file=.env app.js</code>. Its first accepted call or webhook turns this green.
					</p>
					<p class="line">
						<CopyVariables class="primary" />
					</p>
				</Step>
				<Step title="2. Say where it listens" isDone={hasAnswered}>
					<p class="muted">It gets a sample message at once.</p>
					<WebhookUrlField />
				</Step>
				<Step title="3. Write the first message" isDone={hasWritten}>
					<NewContactForm />
				</Step>
			</ol>
		</section>
	);
}

function Step(props: { title: string; isDone: boolean; children: ComponentChildren }) {
	const { title, isDone, children } = props;
	return (
		<li class={`card step stack ${isDone ? "step-done" : ""}`}>
			<h3>
				{title}{" "}
				<span role="status" class="good">
					{isDone && (
						<>
							<Icon name="check" /> Done
						</>
					)}
				</span>
			</h3>
			{children}
		</li>
	);
}
