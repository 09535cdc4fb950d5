import type { Action } from "../../../control/action.ts";
import type { FailureDiagnosis, MessageView as Message } from "../../../control/contract.ts";
import type { Remedy } from "../../../control/diagnosis/remedy.ts";
import { Prose } from "../../parts/prose.tsx";
import { useConsole, useGateway } from "../console-context.ts";
import { CopySource, IconButton } from "../controls.tsx";
import { closeDrawer, isToLeave } from "../hooks/use-selection.ts";
import { formatTime, nameDay } from "../state/clock.ts";
import { describeError, summarizeMessage } from "../state/conversations.ts";
import { describeDelivery, describeRequest } from "../state/describe-entries.ts";
import type { Entry } from "../state/entries.ts";
import { timeOf } from "../state/timeline-rows.ts";
import { statusWords } from "../timeline/status-tick.tsx";
import { Id } from "./body-view.tsx";
import { DeliveryView } from "./delivery-view.tsx";
import { RegisterForm } from "./register-form.tsx";
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
				<h2 id="drawer-title" class="grow" tabIndex={-1}>
					{entry === undefined ? "Details" : titleOf(entry)}
				</h2>
				{entry !== undefined && (
					<time class="muted" dateTime={new Date(timeOf(entry)).toISOString()}>
						{nameDay(timeOf(entry), clock.now)}, {formatTime(timeOf(entry))}
					</time>
				)}
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
				{diagnosis !== undefined && <Diagnosis diagnosis={diagnosis} />}
				{entry?.kind === "webhook" && <DeliveryView delivery={entry.delivery} />}
				{entry?.kind === "request" && <RequestView requestId={entry.request.requestId} />}
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

function messageIdOf(entry: Entry): string | undefined {
	if (entry.kind === "request") return undefined;
	return (entry.kind === "message" ? entry.message : entry.delivery).messageId;
}

function Related({ entries }: { entries: readonly Entry[] }) {
	const { open } = useConsole();
	return (
		<section>
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

function Diagnosis({ diagnosis }: { diagnosis: FailureDiagnosis }) {
	return (
		<div class="diagnosis stack">
			<strong>
				<Prose text={diagnosis.reason} />
			</strong>
			<p>
				<Prose text={diagnosis.fix} />
			</p>
			{diagnosis.remedies.map((remedy) => (
				<RemedyButtons key={remedy.label} remedy={remedy} />
			))}
		</div>
	);
}

/** A button for what the page can do or copy; beside it the command that does the same. */
function RemedyButtons({ remedy }: { remedy: Remedy }) {
	const { label, command, asksFor, actions, copies } = remedy;
	const { client, act } = useConsole();
	const perform = async (steps: readonly Action[]): Promise<void> => {
		for (const [at, action] of steps.entries()) {
			const isLast = at + 1 === steps.length;
			if (!(await act(action, isLast ? `${label}: done.` : undefined))) return;
		}
	};
	if (asksFor !== undefined) return <RegisterForm remedy={remedy} field={asksFor} perform={perform} />;
	return (
		<div class="actions">
			{actions !== undefined && (
				<button type="button" onClick={() => void perform(actions)}>
					{label}
				</button>
			)}
			{copies !== undefined && (
				<CopySource
					label={label}
					of="The secret"
					write={async () => (await client.get("getCredentials"))[copies]}
				/>
			)}
			{command !== undefined && (
				<CopySource label="As a command" of={`The command, ${command},`} write={async () => command} />
			)}
		</div>
	);
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
