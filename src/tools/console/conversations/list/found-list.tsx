import { useEffect, useState } from "preact/hooks";
import type { Page } from "../../../control/contract.ts";
import { useConsole, useGateway } from "../console-context.ts";
import { Cut } from "../controls.tsx";
import { ALL_ACTIVITY } from "../hooks/use-selection.ts";
import { shortTime } from "../state/clock.ts";
import { type ConversationSearch, summarizeMessage, titleOf } from "../state/conversations.ts";
import {
	describeContent,
	describeDelivery,
	describeRequest,
	findFailure,
} from "../state/describe-entries.ts";
import { type Entry, loadEntries, newestFirst } from "../state/entries.ts";
import { timeOf } from "../state/timeline-rows.ts";
import { SelectLink } from "./contact-row.tsx";

/** How long the page waits after a keystroke before it searches. */
const PAUSE_MS = 200;

const MAX_FOUND = 50;

interface Found {
	/** `null` until the first response. */
	readonly page: Page<Entry> | null;
	readonly problem: string | null;
}

/** The messages, webhooks and requests that a search finds, the newest first; each opens its timeline there. */
export function FoundList({ search }: { search: ConversationSearch }) {
	const { now } = useGateway().clock;
	const { page, problem } = useSearch(search);
	return (
		<section aria-label="Found">
			<p class="hint list-heading" role="status">
				{problem ?? describeFound(page)}
			</p>
			<ul>
				{page &&
					newestFirst(page.items).map((entry) => (
						<li key={entry.sequence}>
							<FoundEntry entry={entry} now={now} />
						</li>
					))}
			</ul>
		</section>
	);
}

function useSearch({ text, isOnlyFailed }: ConversationSearch): Found {
	const { client } = useConsole();
	const [found, setFound] = useState<Found>({ page: null, problem: null });
	useEffect(() => {
		const request = new AbortController();
		const timer = setTimeout(() => {
			const query = { search: text, failed: isOnlyFailed, probe: false, limit: MAX_FOUND };
			loadEntries(client, query, request.signal).then(
				(page) => setFound({ page, problem: null }),
				(error: Error) => {
					if (!request.signal.aborted) setFound({ page: null, problem: error.message });
				},
			);
		}, PAUSE_MS);
		return () => {
			clearTimeout(timer);
			request.abort();
		};
	}, [client, text, isOnlyFailed]);
	return found;
}

function FoundEntry({ entry, now }: { entry: Entry; now: number }) {
	const { sequence, conversationKey } = entry;
	const conversation = useGateway().conversations.get(conversationKey ?? "");
	return (
		<SelectLink timelineKey={conversationKey ?? ALL_ACTIVITY} at={sequence}>
			<span class="grow">
				<span class="beside">
					<Cut
						class="contact-title"
						text={conversation === undefined ? "No contact" : titleOf(conversation)}
					/>
					<span class="muted">{shortTime(timeOf(entry), now)}</span>
				</span>
				<span class="beside">
					<Cut class={findFailure(entry) === undefined ? "muted" : "bad"} text={describeEntry(entry)} />
				</span>
			</span>
		</SelectLink>
	);
}

function describeEntry(entry: Entry): string {
	if (entry.kind === "message") return summarizeMessage(entry.message);
	const isWebhook = entry.kind === "webhook";
	const { arrow, name, outcome } = isWebhook
		? describeDelivery(entry.delivery)
		: describeRequest(entry.request);
	return `${arrow} ${name} ${outcome} ${isWebhook ? describeContent(entry.delivery) : ""}`;
}

function describeFound(page: Page<Entry> | null): string {
	if (page === null) return "Searching…";
	const total = page.items.length + page.older;
	if (total === 0) return "Nothing in messages, webhooks and requests";
	const words = `${total.toLocaleString("en")} in messages, webhooks and requests`;
	return page.older === 0 ? words : `${words}, the newest ${page.items.length}:`;
}
