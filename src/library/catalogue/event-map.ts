import type { WireField } from "./operation-map.ts";

/** A value that recognizes an event: `true` for any value, `false` for none or `false`. */
export type EventMark = string | number | boolean;

/** Describes one kind of event on the wire. All places start at the top of the payload. */
export interface EventMap {
	/** The kind of event in your handler. Several maps may have the same kind. */
	readonly kind: "inbound_message" | "inbound_reaction" | "status";
	/**
	 * The payloads that this map reads: places with their values, such as `{ "type": "message.received" }`. The first
	 * map that fits is used.
	 */
	readonly when: Readonly<Record<string, EventMark | readonly EventMark[]>>;
	/**
	 * The object that holds the event, such as `"data"`. Its fields keep their names, unless `fields` has them. With a
	 * list, such as `"messages[]"`, the map only reads payloads with one item.
	 * @default the payload itself
	 */
	readonly root?: string | undefined;
	/** Where each field is, by our names such as `"text"`: a place with its values or its unit, or a constant. */
	readonly fields: Readonly<Record<string, EventField>>;
}

/** The place of an event's field. Unlike a response's field it can't come from the input of a call. */
type EventField = Exclude<WireField, { readonly input: string }>;
