import type { EventMap } from "../../../library/catalogue/event-map.ts";
import type { PlanQuestion } from "../plan/plan-types.ts";
import { schemaLeaves, type WireLeaf } from "../plan/wire-leaves.ts";
import { wordsOf } from "../plan/words.ts";
import { statusIn } from "./classify.ts";
import { ANYBODY, CONTACT_WORDS, EVENT_FIELDS, type EventFieldNames, OTHER_MESSAGE } from "./event-names.ts";
import type { EventHint } from "./event-types.ts";
import { fieldAt, unitNote } from "./field-at.ts";
import type { FoundMark } from "./find-mark.ts";
import { findRoot, isNamed, namesOf } from "./find-root.ts";
import type { DocumentEvent } from "./read-events.ts";

/** How a payload becomes an event of ours, as far as its schema says so. */
export interface EventMatch {
	readonly map: EventMap;
	readonly questions: readonly PlanQuestion[];
	readonly notes: readonly string[];
}

/** Without them an answer would go nowhere, or be about nothing. */
const NEEDED: Readonly<Record<EventMap["kind"], readonly string[]>> = {
	inbound_message: ["messageId", "from", "to", "text", "timestamp_ms"],
	inbound_reaction: ["from", "to", "originalMessageGuid", "reaction", "timestamp_ms"],
	status: ["messageId", "from", "to", "status", "timestamp_ms"],
};

/** Fields of which two that fit are a question: a wrong one answers the wrong person. */
const PEOPLE = ["from", "to"];

const GROUP_WORDS = /group|participant|member|isgroup|chattype|conversationtype/;

/** Finds the place of each field of an event. */
export function matchEvent(
	{ payload }: DocumentEvent & { readonly payload: NonNullable<DocumentEvent["payload"]> },
	mark: FoundMark,
	hint: EventHint | undefined,
): EventMatch {
	const matching = new EventMatching(payload, mark);
	matching.follow(hint);
	for (const [name, names] of Object.entries(EVENT_FIELDS[mark.kind])) matching.place(name, names);
	matching.placeStatus();
	matching.placeRest();
	return matching.conclude();
}

class EventMatching {
	readonly #mark: FoundMark;
	readonly #root: string;
	readonly #leaves: readonly WireLeaf[];
	readonly #around: readonly WireLeaf[];
	readonly #ownNames: readonly string[];
	readonly #fields: Record<string, EventMap["fields"][string]> = {};
	readonly #questions: PlanQuestion[] = [];
	readonly #notes: string[] = [];

	constructor(payload: NonNullable<DocumentEvent["payload"]>, mark: FoundMark) {
		this.#mark = mark;
		const root = findRoot(payload, EVENT_FIELDS[mark.kind]);
		this.#root = root.place;
		this.#ownNames = Object.keys(root.schema.properties);
		const prefix = root.place === "" ? "" : `${root.place}.`;
		this.#leaves = root.leaves.map((leaf) => ({ ...leaf, place: `${prefix}${leaf.place}` }));
		this.#around = schemaLeaves(payload, 1).filter(
			({ place, isList }) => root.place !== "" && !isList && !place.startsWith(prefix),
		);
	}

	/** Does what the user says. */
	follow(hint: EventHint | undefined): void {
		for (const [name, answer] of Object.entries(hint?.fields ?? {})) {
			const leaf = [...this.#leaves, ...this.#around].find(({ place }) => place === answer);
			const names = EVENT_FIELDS[this.#mark.kind][name];
			if (typeof answer !== "string") this.#fields[name] = { value: answer };
			else this.#fields[name] = leaf && names ? fieldAt(leaf, names) : answer;
		}
	}

	/** Finds the place of one field. */
	place(name: string, names: EventFieldNames): void {
		if (this.#fields[name] !== undefined) return;
		for (const tier of names.names) {
			const found = this.#candidates(name, names, tier);
			const [first, second] = found;
			if (first === undefined) continue;
			if (PEOPLE.includes(name)) {
				const doubt =
					second === undefined ? doubtOf(first, names, tier) : `${first.place} or ${second.place}?`;
				if (doubt !== undefined) {
					// What may be wrong is no answer to copy.
					this.#ask(
						name,
						doubt,
						second === undefined && names.not?.test(aboutOf(first)) ? "PLACE" : first.place,
					);
					return;
				}
			}
			if (name === "messageId" && this.#mayBeOfEvent(first)) {
				this.#ask(name, `${first.place} is the message's id, or the event's?`, first.place);
				return;
			}
			this.#fields[name] = fieldAt(first, names);
			const note = unitNote(first, names);
			if (note !== undefined) this.#notes.push(note);
			return;
		}
	}

	#candidates(name: string, names: EventFieldNames, tier: readonly string[]): WireLeaf[] {
		const used = Object.values(this.#fields).map(placeIn);
		const leaves = name === "timestamp_ms" ? [...this.#leaves, ...this.#around] : this.#leaves;
		const rank = (leaf: WireLeaf): number =>
			Math.min(...namesOf(leaf).map((each) => (tier.includes(each) ? tier.indexOf(each) : tier.length)));
		return leaves
			.filter((leaf) => isNamed(leaf, tier) && doesFit(name, leaf, names))
			.filter(({ place }) => !used.includes(bare(place)) && this.#mark.type?.place !== place)
			.sort(
				(left, right) =>
					Number(this.#around.includes(left)) - Number(this.#around.includes(right)) ||
					left.depth - right.depth ||
					rank(left) - rank(right),
			);
	}

	/** Whether an id beside the type may be the event's own. */
	#mayBeOfEvent({ key, context, schema }: WireLeaf): boolean {
		const isPlain = /^(id|uuid|guid)$/.test(key) && context === "";
		const { type } = this.#mark;
		const isBeside = this.#root === "" && type !== undefined && !type.place.includes(".");
		return isPlain && isBeside && !/messag|sms/i.test(schema.words);
	}

	/** A status that only the type says. */
	placeStatus(): void {
		const { kind, type } = this.#mark;
		if (kind !== "status" || type === undefined || this.#fields["status"] !== undefined) return;
		const map = Object.fromEntries(
			type.values.flatMap((value) => {
				const status = statusIn(value);
				return status === undefined ? [] : [[value, status]];
			}),
		);
		if (Object.keys(map).length === type.values.length) this.#fields["status"] = { at: type.place, map };
	}

	/** What follows from the kind, or from another field. */
	placeRest(): void {
		const { kind, isRemoval } = this.#mark;
		const isStatus = kind === "status";
		const fields = this.#fields;
		const add = (name: string, field: EventMap["fields"][string] | undefined): void => {
			if (fields[name] === undefined && field !== undefined) fields[name] = field;
		};
		const contact = fields[isStatus ? "to" : "from"];
		if (kind === "inbound_reaction") add("messageId", fields["originalMessageGuid"]);
		add("messageGuid", fields["messageId"]);
		add("nativeMessageNumber", fields[isStatus ? "from" : "to"]);
		if (fields["groupId"] === undefined) this.#placeGroup();
		add("chatGuid", contact);
		add("accountId", isStatus ? undefined : { value: "" });
		if (isStatus) add("outbound", { value: true });
		if (kind === "inbound_reaction" && this.#mark.isInbound) add("outbound", { value: false });
		if (isRemoval) add("removed", { value: true });
		for (const name of ["participants", "attachments"])
			if (this.#ownNames.includes(name)) add(name, { value: [] });
	}

	/** Without a word of groups there are none; with one, an answer could go to the wrong chat. */
	#placeGroup(): void {
		const hint = this.#leaves.find(
			(leaf) => GROUP_WORDS.test(namesOf(leaf)[0] ?? "") || GROUP_WORDS.test(leaf.key),
		);
		if (hint === undefined) {
			this.#fields["groupId"] = { value: null };
			this.#notes.push("no field speaks of groups: each chat is read as one with a single contact");
		} else if (this.#fields["participants"] === undefined) {
			this.#ask("groupId", `${bare(hint.place)} speaks of groups, and no field is a group's id`, "null");
		} else this.#notes.push("a group's messages stay unknown: no field is a group's id");
	}

	conclude(): EventMatch {
		const { kind, when } = this.#mark;
		for (const name of NEEDED[kind]) {
			const isAsked = this.#questions.some(({ flag }) => flag?.includes(`.${name}=`));
			if (this.#fields[name] === undefined && !isAsked) this.#askFor(name);
		}
		if (kind === "inbound_reaction" && this.#fields["outbound"] === undefined) {
			this.#ask("outbound", "does a contact react, or you?", "false");
		}
		if (this.#root.includes("[]")) {
			this.#notes.push(`one event at a time: a payload with several in ${this.#root} stays unknown`);
		}
		const root = this.#root === "" ? {} : { root: this.#root };
		const map: EventMap = { kind, when, ...root, fields: this.#withoutSameNames() };
		return { map, questions: this.#questions, notes: this.#notes };
	}

	/** Leaves out what keeps its name in the root. */
	#withoutSameNames(): EventMap["fields"] {
		const prefix = this.#root === "" ? "" : `${this.#root}.`;
		return Object.fromEntries(
			Object.entries(this.#fields).filter(([name, field]) => field !== `${prefix}${name}`),
		);
	}

	/** Asks for a field that has no place, with the first of a list if that may be it. */
	#askFor(name: string): void {
		const names = EVENT_FIELDS[this.#mark.kind][name]?.names.flat() ?? [];
		const inList = this.#leaves.find((leaf) => leaf.isList && isNamed(leaf, names));
		if (inList === undefined) this.#ask(name, "has no place that is clear", "PLACE");
		else this.#ask(name, `the first in ${inList.place}?`, inList.place);
	}

	#ask(field: string, what: string, answer: string): void {
		this.#questions.push({
			message: `${field}: ${what}`,
			flag: `--set events.${this.#mark.kind}.${field}=${answer}`,
		});
	}
}

/** Ids that may be integers on the wire. */
const IDS = ["messageId", "messageGuid", "originalMessageGuid"];

function doesFit(name: string, leaf: WireLeaf, { type, not }: EventFieldNames): boolean {
	const { schema, isList, context, key } = leaf;
	const about = aboutOf(leaf);
	// What another message is about is in this one only where it is asked for.
	if (!name.startsWith("original") && OTHER_MESSAGE.test(wordsOf(context).join(" "))) return false;
	// What speaks against a person is a question, not a reason to look elsewhere.
	if (!PEOPLE.includes(name) && not?.test(about) === true) return false;
	const item = schema.type === "array" ? schema.items?.type : schema.type;
	if (type === "list") return schema.type === "array" && (name === "attachments" || item === "string");
	if (name === "to" && isList && schema.type === "array" && item === "string") return true;
	if (isList) return false;
	if (PEOPLE.includes(name) && /^(uuid|uri|date|date-time)$/.test(schema.format ?? "")) return false;
	if (
		PEOPLE.includes(name) &&
		/\b(ids?|uuid|identifier)\b/i.test(schema.words) &&
		!/phone|e\.?164/i.test(schema.words)
	)
		return false;
	if (type === "anything") return true;
	if (type === "time") return /^(string|integer|number)$/.test(schema.type ?? "string");
	if (type === "boolean") return schema.type === "boolean" || key === "direction";
	if (IDS.includes(name) && schema.type === "integer") return true;
	return schema.type === "string" || schema.type === undefined;
}

/** The words of a place, and of the objects in which it is. */
function aboutOf({ context, schema }: WireLeaf): string {
	return `${wordsOf(context).join(" ")} ${schema.words}`;
}

/** Why a place may not be the one of a person. */
function doubtOf(leaf: WireLeaf, { not }: EventFieldNames, tier: readonly string[]): string | undefined {
	const about = aboutOf(leaf);
	if (not?.test(about)) return `${bare(leaf.place)} may be the other side's number`;
	const isSure = tier !== ANYBODY || CONTACT_WORDS.test(about);
	return isSure ? undefined : `${bare(leaf.place)}: the contact's number, or yours?`;
}

function placeIn(field: EventMap["fields"][string]): string | undefined {
	return typeof field === "string" ? field : "at" in field ? field.at : undefined;
}

/** A list ends in its first item only where one is due. */
function bare(place: string): string {
	return place.replace(/\[\]$/, "");
}
