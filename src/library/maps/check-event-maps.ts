import { EVENTS } from "../catalogue/events.ts";
import { namesPath } from "../catalogue/known-path.ts";
import type { Profile } from "../catalogue/profile.ts";
import { assertKnownKeys, assertOneOf, isWord } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { isPlainObject } from "../is-object.ts";
import { assertWireField, assertWirePath } from "./check-response-map.ts";

const KINDS = EVENTS.map(({ name }) => name);

/** @throws ConfigurationError naming the part that is invalid. */
export function assertEventMaps({ map, decode, encode }: NonNullable<Profile["events"]>): void {
	if (map === undefined) return;
	if (decode !== undefined || encode !== undefined) {
		throw new ConfigurationError("profile.events has map, and decode or encode: leave one out");
	}
	const name = "profile.events.map";
	if (!Array.isArray(map) || map.length === 0) {
		throw new ConfigurationError(`${name} must be a list of maps, each of one kind of event`);
	}
	map.forEach((each: unknown, at) => {
		assertEventMap(`${name}[${at}]`, each);
	});
}

function assertEventMap(name: string, map: unknown): void {
	assertKnownKeys(name, map, ["kind", "when", "root", "fields"]);
	const { kind, when, root, fields }: Readonly<Record<string, unknown>> = { ...map };
	assertOneOf(`${name}.kind`, kind, KINDS);
	const event = EVENTS.find((each) => each.name === kind);
	if (event === undefined) throw new ConfigurationError(`${name} needs kind: one of ${KINDS.join(", ")}`);
	assertWhen(`${name}.when`, when);
	if (root !== undefined) assertWirePath(`${name}.root`, root);
	if (!isPlainObject(fields)) throw new ConfigurationError(`${name}.fields must be an object of our fields`);
	for (const [field, source] of Object.entries(fields)) {
		const owner = `${name}.fields["${isWord(field) ? field : "…"}"]`;
		if (field === "type") throw new ConfigurationError(`${owner} follows from kind: leave it out`);
		// A tapback that was taken back has a field of ours that the specification does not show.
		const isKnown = namesPath(event.payload, field) || (kind === "inbound_reaction" && field === "removed");
		if (field.includes(".") || !isKnown) {
			throw new ConfigurationError(`${owner} is no field of an event of the kind ${event.name}`);
		}
		assertWireField(owner, source, undefined);
	}
}

function assertWhen(name: string, when: unknown): void {
	if (!isPlainObject(when) || Object.keys(when).length === 0) {
		throw new ConfigurationError(
			`${name} must be an object of places with their values, such as { "type": "message.received" }`,
		);
	}
	for (const [place, wanted] of Object.entries(when)) {
		const owner = `${name}["${place.split(".").every(isWord) ? place : "…"}"]`;
		assertWirePath(owner, place);
		const marks: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
		if (marks.length > 0 && marks.every((mark) => /^(string|number|boolean)$/.test(typeof mark))) continue;
		throw new ConfigurationError(`${owner} must be a string, a number, true, false, or a list of them`);
	}
}
