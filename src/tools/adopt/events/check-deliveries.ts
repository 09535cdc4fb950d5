import type { EventMap } from "../../../library/catalogue/event-map.ts";
import { describeHandleProblem } from "../../../library/catalogue/handle.ts";
import { WebhookVerificationError } from "../../../library/errors.ts";
import { hasMarks } from "../../../library/maps/decode-event.ts";
import { profileFromJson } from "../../../library/maps/profile-from-json.ts";
import { readEvent, type WebhookEvent } from "../../../library/webhooks/events.ts";
import { schemaLeaves } from "../plan/wire-leaves.ts";
import { deliverySchema } from "./delivery-schema.ts";
import type { CheckedDelivery, EventHints, PlannedEvent } from "./event-types.ts";
import { TYPES } from "./find-mark.ts";
import { EVENT_KINDS, planEvents } from "./plan-events.ts";
import type { DocumentEvent } from "./read-events.ts";

/** A delivery that was saved: its raw body. */
export interface SavedDelivery {
	readonly file: string;
	readonly body: Uint8Array;
	/** `undefined` for a list of events. */
	readonly payload: Readonly<Record<string, unknown>> | undefined;
}

/** What follows from saved deliveries. */
export interface CheckedEvents {
	readonly events: readonly PlannedEvent[];
	readonly deliveries: readonly CheckedDelivery[];
}

/** Checks saved deliveries with the planned events. What was seen wins over what is written, if it is clear. */
export function checkDeliveries(
	written: readonly DocumentEvent[],
	planned: readonly PlannedEvent[],
	{ saved, hints }: { saved: readonly SavedDelivery[]; hints: EventHints },
): CheckedEvents {
	let events = planned;
	const deliveries = saved.map((delivery): CheckedDelivery => {
		const first = receive(delivery, events);
		if (isFit(first) || delivery.payload === undefined) {
			events = noteFit(events, delivery, first);
			return first;
		}
		events = replan(written, events, { delivery, payload: delivery.payload, hints });
		const second = receive(delivery, events);
		events = noteFit(events, delivery, second);
		return second;
	});
	return { events, deliveries };
}

function isFit({ kind, issues }: CheckedDelivery): boolean {
	return kind !== "unknown" && issues.length === 0;
}

/** What a delivery becomes with the planned maps. Nothing of it but names is kept. */
function receive({ file, body }: SavedDelivery, events: readonly PlannedEvent[]): CheckedDelivery {
	const map = events.flatMap((event) => event.map ?? []);
	const profile = map.length === 0 ? undefined : profileFromJson({ events: { map } });
	try {
		const { event } = readEvent({ eventId: "evt_saved", timestamp: 0 }, body, profile);
		const { kind, filled } = event;
		return { file, kind, filled, issues: issuesOf(event) };
	} catch (error) {
		if (!(error instanceof WebhookVerificationError)) throw error;
		return {
			file,
			kind: "unknown",
			filled: [],
			issues: [error.message.replace(/^the signature is right, but /, "")],
		};
	}
}

function issuesOf(event: WebhookEvent): string[] {
	if (event.kind === "unknown") {
		return event.reason === "type"
			? ["no map fits it, and it is no documented event"]
			: event.issues.map(({ path, message }) => `${path} ${message}`);
	}
	const { from, to, timestamp_ms: time } = event.data;
	const people = { from, to };
	const strangers = Object.entries(people).filter(
		([, value]) => describeHandleProblem(value) !== undefined && !/^\+?[\d ()-]{7,20}$/.test(value),
	);
	return [
		...strangers.map(([name]) => `${name} is no number, e-mail address or short code`),
		...(time > 1e9 && time < 1e11 ? ["timestamp_ms is in seconds"] : []),
	];
}

/** Plans the event again, from the delivery and what the document says of the names in it. */
function replan(
	written: readonly DocumentEvent[],
	events: readonly PlannedEvent[],
	{
		delivery,
		payload,
		hints,
	}: { delivery: SavedDelivery; payload: Readonly<Record<string, unknown>>; hints: EventHints },
): readonly PlannedEvent[] {
	const { file } = delivery;
	const like = mostAlike(written, payload);
	const seen: DocumentEvent = {
		name: like?.name ?? "",
		words: like?.words ?? "",
		payload: deliverySchema("", payload, like?.payload),
		typeHeader: like?.typeHeader,
	};
	const others = written.filter((event) => event !== like);
	const found = planEvents([seen, ...others], hints).filter(
		({ name, source }) => name === seen.name && source !== "none",
	);
	const [only, ...more] = found;
	if (only === undefined || more.length > 0) return events;
	const planned: PlannedEvent = { ...only, source: "delivery" };
	const kept = events.flatMap((event) => (event.kind === only.kind ? withoutSeen(event, payload) : event));
	const isClear = planned.map !== undefined && isFit(receive(delivery, [planned, ...kept]));
	const { questions } = planned;
	const doubts =
		questions.length > 0 ? questions : [{ message: `${file} contradicts the document`, flag: undefined }];
	const open: PlannedEvent = { ...planned, certainty: "open", map: undefined, questions: doubts };
	return inOrder([isClear ? planned : open, ...kept]);
}

/** An event without what was seen: one of its types, all of it, or nothing. */
function withoutSeen(event: PlannedEvent, payload: unknown): PlannedEvent[] {
	const { map } = event;
	if (map === undefined) return [];
	if (!hasMarks(payload, map.when)) return [event];
	const when = Object.entries(map.when).map(([place, wanted]) => {
		const others = [wanted].flat().filter((mark) => !hasMarks(payload, { [place]: mark }));
		return [place, others] as const;
	});
	const isAlone = when.length > 1 || when.some(([, others]) => others.length === 0);
	return isAlone ? [] : [{ ...event, map: { ...map, when: Object.fromEntries(when) } }];
}

function inOrder(events: readonly PlannedEvent[]): PlannedEvent[] {
	return EVENT_KINDS.flatMap((kind) => events.filter((event) => event.kind === kind));
}

/** The event of the document that shares most of its names with a payload. */
function mostAlike(
	written: readonly DocumentEvent[],
	payload: Readonly<Record<string, unknown>>,
): DocumentEvent | undefined {
	const places = schemaLeaves(deliverySchema("", payload, undefined)).map(({ place }) => place);
	const scored = written.map((event) => {
		const known = event.payload === undefined ? [] : schemaLeaves(event.payload);
		const isNamed = known.some(
			({ key, place, schema }) => TYPES.includes(key) && isOneOf(payload, place, schema.choices),
		);
		return { event, score: known.filter(({ place }) => places.includes(place)).length + (isNamed ? 100 : 0) };
	});
	const [best] = scored.sort((left, right) => right.score - left.score);
	return best !== undefined && best.score > 0 ? best.event : undefined;
}

function isOneOf(payload: unknown, place: string, choices: readonly (string | number | boolean)[]): boolean {
	const marks = choices.filter((choice) => typeof choice === "string");
	return marks.length > 0 && !place.includes("[]") && hasMarks(payload, { [place]: marks });
}

function noteFit(
	events: readonly PlannedEvent[],
	{ file, payload }: SavedDelivery,
	checked: CheckedDelivery,
): readonly PlannedEvent[] {
	if (!isFit(checked)) return events;
	const at = events.findIndex(({ kind, map }) => kind === checked.kind && doesTake(map, payload));
	const event = events[at];
	return event === undefined
		? events
		: events.with(at, { ...event, notes: [...event.notes, `fits ${file}`] });
}

function doesTake(map: EventMap | undefined, payload: unknown): boolean {
	return map === undefined || hasMarks(payload, map.when);
}
