import type { FailureDiagnosis, MessageView as Message } from "../../../control/contract.ts";
import type { Remedy } from "../../../control/diagnosis/remedy.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Prose } from "../../parts/prose.tsx";
import { useConsole, useGateway } from "../console-context.ts";
import { CopySource, IconButton, TaskButton } from "../controls.tsx";
import { closeDrawer, isToLeave } from "../hooks/use-selection.ts";
import { formatTime, nameDay } from "../state/clock.ts";
import { describeError, summarizeMessage } from "../state/conversations.ts";
import { describeDelivery, describeRequest } from "../state/describe-entries.ts";
import { type Entry, messageIdOf } from "../state/entries.ts";
import { timeOf } from "../state/timeline-rows.ts";
import { statusWords } from "../timeline/status-tick.tsx";
import { WebhookUrlField } from "../webhook-url-field.tsx";
import { Id } from "./body-view.tsx";
import { DeliveryView } from "./delivery-view.tsx";
import { RequestView } from "./request-view.tsx";

/** What is selected in the timeline: why it failed, what to do, and all that is known of it. */
export function Drawer(props: {
	/** `undefined` until it is loaded, or if it is gone. */
	entry: Entry | undefined;
	entries: readonly Entry[];
	isLoaded: boolean;
}) {
	const { entry, entries, isLoaded } = props;
	const { clock } = useGateway();
	const about = entry && messageIdOf(entry);
	const diagnosis = entry && diagnosisOf(entry);
	const related = entries.filter(
		(other) => other !== entry && about !== undefined && messageIdOf(other) === about,
	);
	return (
		<aside
			class="pane drawer"
			aria-labelledby="drawer-title"
			onKeyDown={(event) => {
				if (isToLeave(event)) closeDrawer();
			}}
		>
			<header class="pane-header beside">
				<div class="grow">
					<h2 id="drawer-title" tabIndex={-1}>
						{entry === undefined ? "Details" : titleOf(entry)}
					</h2>
					{entry !== undefined && (
						<time class="muted" dateTime={new Date(timeOf(entry)).toISOString()}>
							{nameDay(timeOf(entry), clock.now)}, {formatTime(timeOf(entry))}
						</time>
					)}
				</div>
				<IconButton icon="close" label="Close" onClick={closeDrawer} />
			</header>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<div class="drawer-body stack" key={entry?.sequence} tabIndex={0}>
				{entry === undefined && (
					<p class="muted" role="status">
						{isLoaded
							? "It is no longer there: the oldest are dropped, and a reset deletes all."
							: "Loading…"}
					</p>
				)}
				{entry?.kind === "message" && <MessageView message={entry.message} />}
				{diagnosis !== undefined && <Diagnosis entry={entry} diagnosis={diagnosis} />}
				{entry?.kind === "webhook" && <DeliveryView delivery={entry.delivery} />}
				{entry?.kind === "request" && (
					<RequestView requestId={entry.request.requestId} diagnosis={diagnosis} />
				)}
				{related.length > 0 && <Related entries={related} />}
			</div>
		</aside>
	);
}

function titleOf(entry: Entry): string {
	if (entry.kind === "message")
		return entry.message.outbound ? "Message of the agent" : "Message of the contact";
	return entry.kind === "webhook"
		? describeDelivery(entry.delivery).name
		: describeRequest(entry.request).name;
}

function diagnosisOf(entry: Entry): FailureDiagnosis | undefined {
	if (entry.kind === "message") return undefined;
	return (entry.kind === "webhook" ? entry.delivery : entry.request).diagnosis;
}

function Related({ entries }: { entries: readonly Entry[] }) {
	const { open } = useConsole();
	return (
		<section class="rows">
			<h3>About the same message</h3>
			<div class="actions">
				{entries.map((entry) => (
					<button key={entry.sequence} type="button" onClick={() => open(entry.sequence)}>
						{titleOf(entry)} {entry.kind === "webhook" && describeDelivery(entry.delivery).outcome}
					</button>
				))}
			</div>
		</section>
	);
}

function Diagnosis({ entry, diagnosis }: { entry: Entry | undefined; diagnosis: FailureDiagnosis }) {
	const delivery = entry?.kind === "webhook" ? entry.delivery : undefined;
	const { reason, fix, remedies } = diagnosis;
	return (
		<div class="diagnosis stack">
			<strong>
				<Prose text={reason} />
			</strong>
			<p>
				<Prose text={fix} /> <CopyButton of="the reason and the fix" text={`${reason} ${fix}`} />
			</p>
			{delivery !== undefined && remedies.some(isForUrl) && <WebhookUrlField event={delivery} />}
			<div class="actions">
				{remedies.map(
					(remedy, at) =>
						!isForUrl(remedy) && <RemedyButton key={remedy.label} remedy={remedy} isPrimary={at === 0} />,
				)}
			</div>
		</div>
	);
}

/** Whether a person must give a URL first. */
function isForUrl({ asksFor }: Remedy): boolean {
	return asksFor !== undefined;
}

/** A button for what the page can do or copy; the command that does the same is in the menu. */
function RemedyButton(props: { remedy: Remedy; isPrimary: boolean }) {
	const { label, command, actions, copies } = props.remedy;
	const { client } = useConsole();
	const fix = async (): Promise<void> => {
		for (const action of actions ?? []) await client.act(action);
	};
	if (actions !== undefined) {
		return (
			<TaskButton class={props.isPrimary ? "primary" : undefined} task={fix} done="Done">
				{label}
			</TaskButton>
		);
	}
	const write = async () =>
		copies === undefined ? (command ?? "") : (await client.get("getCredentials"))[copies];
	return <CopySource label={label} write={write} />;
}

/** A message: why it failed, its text, its status and its id. */
function MessageView({ message }: { message: Message }) {
	const { messageId, from, to, participants, status, outbound, text } = message;
	const error = describeError(message.error);
	return (
		<>
			{error !== null && (
				<p class="diagnosis">
					<strong>The message failed:</strong> <bdi>{error}</bdi>
				</p>
			)}
			<p class="bubble-text" dir="auto">
				{text === "" ? summarizeMessage(message) : text}
			</p>
			<p class="muted">
				From {from} to {to ?? participants.join(", ")}: {outbound ? statusWords(status) : "Received"}
			</p>
			<Id of="message" value={messageId} />
		</>
	);
}
