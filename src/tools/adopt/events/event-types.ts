import type { EventMap } from "../../../library/catalogue/event-map.ts";
import type { PlanQuestion } from "../plan/plan-types.ts";

export type EventKind = EventMap["kind"];

/** What is known of one kind of event: a document alone is never certain. */
export interface PlannedEvent {
	readonly kind: EventKind;
	readonly certainty: "likely" | "open";
	/** Where it comes from. */
	readonly source: "specification" | "document" | "delivery" | "flags" | "none";
	/** What the document calls it; for several, the first. */
	readonly name: string | undefined;
	/** Its part of the profile; `undefined` if it is open, or needs none. */
	readonly map: EventMap | undefined;
	readonly questions: readonly PlanQuestion[];
	/** What to know of it, such as a unit that the document does not say. */
	readonly notes: readonly string[];
}

/** What a saved delivery becomes. */
export interface CheckedDelivery {
	readonly file: string;
	readonly kind: EventKind | "unknown";
	/** The fields that certainly mean nothing and were filled. */
	readonly filled: readonly string[];
	/** What is not as documented, without its values. */
	readonly issues: readonly string[];
}

/** What the user says of the events of one kind. */
export interface EventHint {
	/** The name of the document's event, or its type. */
	readonly name?: string | undefined;
	/** By our fields: a place, or a constant. */
	readonly fields: Readonly<Record<string, string | boolean | null>>;
	/** The places and values by which they are recognized. */
	readonly when: Readonly<Record<string, string | number | boolean>>;
}

/** Everything that the user says of events. */
export interface EventHints {
	readonly kinds: Readonly<Partial<Record<EventKind, EventHint>>>;
	/** Maps that the user wrote, which are used as they are. */
	readonly maps: readonly EventMap[] | undefined;
}
