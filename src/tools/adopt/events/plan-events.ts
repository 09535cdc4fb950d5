import type { EventMap } from "../../../library/catalogue/event-map.ts";
import { EVENTS } from "../../../library/catalogue/events.ts";
import { isMessagingGatewayError } from "../../../library/errors.ts";
import { profileFromJson } from "../../../library/maps/profile-from-json.ts";
import { PAYLOAD_FIELDS } from "../../../library/webhooks/event-fields.ts";
import type { PlanQuestion } from "../plan/plan-types.ts";
import { schemaLeaves } from "../plan/wire-leaves.ts";
import type { EventHint, EventHints, EventKind, PlannedEvent } from "./event-types.ts";
import { type FoundMark, findMarks } from "./find-mark.ts";
import { matchEvent } from "./match-event.ts";
import { mergeEvents } from "./merge-events.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import type { DocumentEvent } from "./read-events.ts";

/** The kinds of events, in the order of the specification. */
export const EVENT_KINDS: readonly EventKind[] = EVENTS.map(({ name }) => name);

/** Plans each kind of event from the events of a document; empty if it has none, and the user says nothing. */
export function planEvents(events: readonly DocumentEvent[], { kinds, maps }: EventHints): PlannedEvent[] {
	if (maps !== undefined) return maps.map(given);
	if (events.length === 0) return [];
	const planned = EVENT_KINDS.flatMap((kind) => {
		const hint = kinds[kind];
		const marked = events.flatMap((event) => marksOf(event, kind, hint).map((mark) => ({ event, mark })));
		const found = inOneShape(marked).map(({ event, mark }) => planOne(event, mark, { events, hint }));
		return found.length > 0 ? mergeEvents(found) : [notFound(kind, hint, events)];
	});
	return withoutClashes(planned);
}

function given(map: EventMap): PlannedEvent {
	const { kind } = map;
	return { kind, certainty: "likely", source: "flags", name: undefined, map, questions: [], notes: [] };
}

/** What makes an event one of this kind. */
function marksOf(event: DocumentEvent, kind: EventKind, hint: EventHint | undefined): FoundMark[] {
	const marks = findMarks(event);
	const { name } = hint ?? {};
	if (name === undefined) return marks.filter((mark) => mark.kind === kind);
	const named = marks.filter(({ type }) => type?.values.includes(name));
	if (event.name !== name && named.length === 0) return [];
	const [mark = { when: {}, type: undefined, isRemoval: false, isInbound: false }] =
		named.length > 0 ? named : marks;
	const { type } = mark;
	const isOne = type !== undefined && named.length > 0;
	return [
		{
			...mark,
			kind,
			isDoubtful: false,
			...(isOne && { when: { [type.place]: name }, type: { ...type, values: [name] } }),
		},
	];
}

interface MarkedEvent {
	readonly event: DocumentEvent;
	readonly mark: FoundMark;
}

/** Makes one of the shapes that nothing tells apart. */
function inOneShape(events: readonly MarkedEvent[]): MarkedEvent[] {
	const merged = new Map<string, MarkedEvent>();
	for (const [at, { event, mark }] of events.entries()) {
		const key = mark.type === undefined ? `${at}` : JSON.stringify(mark.when);
		const known = merged.get(key);
		const payload =
			known?.event.payload && event.payload
				? mergeSchemas(known.event.payload, event.payload)
				: event.payload;
		merged.set(key, known === undefined ? { event, mark } : { ...known, event: { ...known.event, payload } });
	}
	return [...merged.values()];
}

interface EventPlanContext {
	readonly events: readonly DocumentEvent[];
	readonly hint: EventHint | undefined;
}

function planOne(event: DocumentEvent, found: FoundMark, { events, hint }: EventPlanContext): PlannedEvent {
	const { name, payload, typeHeader } = event;
	const { kind } = found;
	const source = hint === undefined ? "document" : "flags";
	const base = { kind, name, source, map: undefined, notes: [] } as const;
	if (payload === undefined) {
		const message = "its body isn't JSON, or not described";
		return { ...base, certainty: "open", questions: [{ message, flag: undefined }] };
	}
	if (payload.type === "array") {
		const message = "each delivery is a list of events with one event id, which no map can read";
		return { ...base, certainty: "open", questions: [{ message, flag: undefined }] };
	}
	if (hint === undefined && isDocumented(event, kind)) {
		return { ...base, source: "specification", certainty: "likely", questions: [] };
	}
	const when = { ...found.when, ...hint?.when };
	const isMarked = Object.keys(when).length > 0;
	const mark: FoundMark = { ...found, when: isMarked ? when : uniquePlace(event, events) };
	const match = matchEvent({ ...event, payload }, mark, hint);
	const questions: PlanQuestion[] = [...match.questions];
	if (Object.keys(mark.when).length === 0) questions.unshift(unmarked(kind, typeHeader));
	if (found.isDoubtful && hint?.when === undefined) {
		questions.unshift({
			message: "a contact's messages alone, or yours too?",
			flag: `--set events.${kind}=${mark.type?.values[0] ?? name}`,
		});
	}
	const problem = questions.length > 0 ? undefined : problemOf(match.map);
	if (problem !== undefined) questions.push({ message: problem, flag: undefined });
	if (questions.length > 0) return { ...base, certainty: "open", questions };
	return { ...base, certainty: "likely", map: match.map, questions: [], notes: match.notes };
}

function unmarked(kind: EventKind, typeHeader: string | undefined): PlanQuestion {
	const message =
		typeHeader === undefined
			? "what tells it from other events?"
			: `the header ${typeHeader} tells it from other events, which a map can't read`;
	return { message, flag: `--set events.${kind}.when.PLACE=VALUE` };
}

/** A place that this event must have and no other one can have. */
function uniquePlace(event: DocumentEvent, events: readonly DocumentEvent[]): EventMap["when"] {
	const others = events.filter((other) => other !== event);
	if (event.payload === undefined || others.length === 0) return {};
	if (others.some(({ payload }) => payload === undefined)) return {};
	const taken = others.flatMap(({ payload }) =>
		payload ? schemaLeaves(payload).map(({ place }) => place) : [],
	);
	const own = schemaLeaves(event.payload, 1).find(
		({ place, isRequired, isList, schema }) =>
			isRequired && !isList && schema.type !== "boolean" && !taken.includes(place),
	);
	return own === undefined ? {} : { [own.place]: true };
}

/** Whether a payload is as the specification shows it. */
function isDocumented({ payload }: DocumentEvent, kind: EventKind): boolean {
	const properties = payload?.properties ?? {};
	const { type } = properties;
	const isNamed = kind === "status" ? type === undefined : type?.choices.includes(kind) === true;
	return isNamed && PAYLOAD_FIELDS[kind].every(([name]) => Object.hasOwn(properties, name));
}

/** Why the library would reject this map. */
function problemOf(map: EventMap): string | undefined {
	try {
		profileFromJson({ events: { map: [map] } });
		return undefined;
	} catch (error) {
		if (isMessagingGatewayError(error)) return error.message.replace(/^profile\.events\.map\[0\]\.?/, "");
		throw error;
	}
}

/** Two events with the same marks cannot be told apart. */
function withoutClashes(planned: readonly PlannedEvent[]): PlannedEvent[] {
	const marks = planned.map(({ map }) => map && JSON.stringify(map.when));
	return planned.map((event, at) => {
		const other = marks.findIndex((mark, index) => index !== at && mark !== undefined && mark === marks[at]);
		if (other === -1) return event;
		const message = `nothing tells it from ${planned[other]?.name ?? planned[other]?.kind}`;
		const flag = `--set events.${event.kind}.when.PLACE=VALUE`;
		return { ...event, certainty: "open", map: undefined, questions: [{ message, flag }], notes: [] };
	});
}

/** The most names of events that are listed. */
const MAX_NAMES = 6;

function notFound(
	kind: EventKind,
	hint: EventHint | undefined,
	events: readonly DocumentEvent[],
): PlannedEvent {
	const names = [...new Set(events.filter((event) => findMarks(event).length === 0).map(({ name }) => name))];
	const shown = `${names.slice(0, MAX_NAMES).join(", ")}${names.length > MAX_NAMES ? " …" : ""}`;
	const unknown = names.length === 0 ? "not in the document" : `not in the document, unless it is ${shown}`;
	const message = hint?.name === undefined ? unknown : "the event of --set isn't in the document";
	const flag = `--set events.${kind}=${names[0] ?? "NAME"}`;
	const base = {
		kind,
		certainty: "open",
		source: "none",
		name: undefined,
		map: undefined,
		notes: [],
	} as const;
	return { ...base, questions: [{ message, flag }] };
}
