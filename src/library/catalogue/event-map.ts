import type { WireField } from "./operation-map.ts";

/** A value by which an event is recognized: `true` for anything that is given, `false` for nothing or `false`. */
export type EventMark = string | number | boolean;

/** How one kind of event is on the wire. All places start at the top of the payload. */
export interface EventMap {
	/** What it is here. Several maps may be of one kind. */
	readonly kind: "inbound_message" | "inbound_reaction" | "status";
	/** The payloads that it is for: places with their values, such as `{ "type": "message.received" }`. The first map that fits is used. */
	readonly when: Readonly<Record<string, EventMark | readonly EventMark[]>>;
	/**
	 * The object that is the event, such as `"data"`: its fields keep their names, unless `fields` has them. With a list,
	 * such as `"messages[]"`, the map is only for payloads with one item.
	 * @default the payload itself
	 */
	readonly root?: string | undefined;
	/** By our names, such as `"text"`: a place with its values or its unit, or a constant. */
	readonly fields: Readonly<Record<string, EventField>>;
}

/** Where a field of an event is. There is no call whose input could say it. */
type EventField = Exclude<WireField, { readonly input: string }>;
