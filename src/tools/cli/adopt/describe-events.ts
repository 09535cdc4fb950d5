import type { EventMap } from "../../../library/catalogue/event-map.ts";
import type { CheckedDelivery, PlannedEvent } from "../../adopt/events/event-types.ts";
import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";

const STYLES = { likely: "yellow", open: "red" } as const;

/** The most names that are shown of an event. */
const MAX_NAMES = 10;

/** The most values that are shown of a type. */
const MAX_MARKS = 6;

/** What is known of the events, for people. */
export function describeEvents(terminal: Terminal, events: readonly PlannedEvent[]): string[] {
	return events.flatMap((event) => describeEvent(terminal, event));
}

/** What the saved deliveries become: names, and none of their values. */
export function describeDeliveries(deliveries: readonly CheckedDelivery[]): string[] {
	return deliveries.map(({ file, kind, filled, issues }) => {
		const problems = issues.length === 0 ? "" : `: ${issues.slice(0, MAX_NAMES).join(", ")}`;
		const absent = filled.length === 0 ? "" : `, without ${filled.join(", ")}`;
		return `Event    ${printable(`${file} becomes ${kind}${absent}${problems}`)}`;
	});
}

function describeEvent(terminal: Terminal, event: PlannedEvent): string[] {
	const { kind, certainty, name = "", map, source, questions, notes } = event;
	const title = terminal.paint(STYLES[certainty], certainty.toUpperCase().padEnd(7));
	const about = `event ${kind}`.padEnd(25);
	if (questions.length > 0) {
		const lines = questions.flatMap(({ message, flag }, at) => [
			at === 0
				? `${title}  ${printable(`${about} ${name === "" ? "" : `${name}   `}${message}`)}`
				: `           ${printable(message)}`,
			...(flag === undefined ? [] : [`           ${printable(flag)}`]),
		]);
		return lines;
	}
	const what = map === undefined ? name : describeMarks(map.when);
	const names = Object.entries(map?.fields ?? {}).flatMap(describeField);
	const shown = `${names.slice(0, MAX_NAMES).join("   ")}${names.length > MAX_NAMES ? " …" : ""}`;
	const lines = [...(names.length > 0 ? [shown] : []), ...notes].map(
		(line) => `           ${printable(line)}`,
	);
	return [`${title}  ${printable(`${about} ${what.padEnd(34)} ${source}`)}`, ...lines];
}

/** The values by which an event is recognized; the place stands with what is no name of an event. */
function describeMarks(when: EventMap["when"]): string {
	return Object.entries(when)
		.map(([place, wanted]) => {
			const marks = [wanted].flat();
			const shown = `${marks.slice(0, MAX_MARKS).map(String).join(", ")}${marks.length > MAX_MARKS ? " …" : ""}`;
			return marks.every((mark) => typeof mark === "string") ? shown : `${place} ${shown}`;
		})
		.join(" · ");
}

function describeField([name, field]: [string, EventMap["fields"][string]]): string[] {
	if (typeof field === "string") return [`${name} <- ${field}`];
	return "at" in field ? [`${name} <- ${field.at}`] : [];
}
