import type { EventMap } from "../../../library/catalogue/event-map.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { profileFromJson } from "../../../library/maps/profile-from-json.ts";
import { EVENT_FIELDS } from "./event-names.ts";
import type { EventHint, EventHints, EventKind } from "./event-types.ts";

/** What the user says, without what is about events. */
export interface OtherHints {
	readonly settings: readonly string[];
	readonly maps: unknown;
	readonly events: EventHints;
}

/**
 * Reads what the user says of events: `events.inbound_message=message.new`, `events.inbound_message.from=data.phone`,
 * `events.inbound_message.when.type=message.new`.
 * @param maps - a profile, or parts of one, whose `events.map` is used as it is.
 * @param reject - creates the error for a setting that says nothing.
 */
export function readEventHints(
	settings: readonly string[],
	maps: unknown,
	reject: (problem: string) => Error,
): OtherHints {
	const kinds: Partial<Record<EventKind, EventHint>> = {};
	for (const setting of settings.filter(isOfEvent)) {
		const [, kind, rest = "", value = ""] = /^events\.(\w+)(?:\.([^=]*))?=(.*)$/s.exec(setting) ?? [];
		const place = /^when\.(.+)$/s.exec(rest)?.[1];
		const isField =
			rest === "" || place !== undefined || (isKind(kind) && Object.hasOwn(EVENT_FIELDS[kind], rest));
		if (!isKind(kind) || value === "" || !isField) {
			throw reject(
				"give events.KIND=NAME, events.KIND.FIELD=PLACE or events.KIND.when.PLACE=VALUE, such as events.inbound_message.from=data.phone",
			);
		}
		const hint: EventHint = kinds[kind] ?? { fields: {}, when: {} };
		if (rest === "") kinds[kind] = { ...hint, name: value };
		else if (place === undefined)
			kinds[kind] = { ...hint, fields: { ...hint.fields, [rest]: constantOf(value) } };
		else kinds[kind] = { ...hint, when: { ...hint.when, [place]: constantOf(value) ?? value } };
	}
	const { events, ...others } = isJsonObject(maps) ? maps : { events: undefined };
	return {
		settings: settings.filter((setting) => !isOfEvent(setting)),
		maps: isJsonObject(maps) && events !== undefined ? others : maps,
		events: { kinds, maps: readMaps(events) },
	};
}

function isOfEvent(setting: string): boolean {
	return setting.startsWith("events.");
}

function isKind(kind: string | undefined): kind is EventKind {
	return kind !== undefined && Object.hasOwn(EVENT_FIELDS, kind);
}

function constantOf(value: string): string | boolean | null {
	return value === "null" ? null : value === "true" ? true : value === "false" ? false : value;
}

/** @throws ConfigurationError for maps that no profile can have. */
function readMaps(events: unknown): readonly EventMap[] | undefined {
	if (!isJsonObject(events)) return undefined;
	return profileFromJson({ events }).events?.map;
}
