import { namesPath } from "../../../library/catalogue/known-path.ts";
import type { RequestMap } from "../../../library/catalogue/operation-map.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { DocumentRoute } from "../document/read-routes.ts";
import { ANYBODY, type FieldNames, namesOfField, PAGING, UNIQUE, WHOSE } from "./field-names.ts";
import { matchAttachments } from "./match-attachments.ts";
import { chooseVariant, sourceOfChoice } from "./match-choices.ts";
import { neededNames } from "./needed-names.ts";
import type { PlanHint, PlanQuestion, RequestMatch } from "./plan-types.ts";
import { requestLeaves, type WireLeaf } from "./wire-leaves.ts";

/** Our fields, those first that would be wrong in the place of another. */
const ORDER = [
	"to toNumber userNumber from agentNumber toAgentNumber fromAgentNumber number groupId participants groupName",
	"messageGuid messageId replyToGuid reaction text effect statusCallback inboundWebhookUrl statusWebhookUrl partIndex",
	"durationMs name maxConsecutiveMessages reason limit status after before",
].flatMap((fields) => fields.split(" "));

const CONTACTS = ["to", "toNumber", "userNumber"];
const AGENTS = ["agentNumber", "number", "from"];
const MESSAGES = ["messageId", "messageGuid"];
const PHONES = [...CONTACTS, ...AGENTS, "toAgentNumber", "fromAgentNumber"];

/** Fields that a call may lack, whose names other objects have too. */
const EXTRAS = ["groupName", "statusCallback", "participants", "groupId"];

/** Operations whose only number may be the agent's or the contact's. */
const DOUBTFUL = ["messages.typing", "messages.markRead", "analytics.listMessages"];
const OF_CONVERSATION = /\b(conversations?|chats?|history|threads?|contacts?|users?)\b/i;

/** Headers that the signature, the connection or the body has. */
const OTHER_HEADERS =
	/^(x-?(app|timestamp|nonce|signature)|authorization$|content|accept|user-?agent|host$)/i;

/** Finds the place of each of our fields in a route, and what it needs besides. */
export function matchRequest(
	operation: CatalogueOperation,
	route: DocumentRoute,
	{ hint, hasDefaultSender }: { hint: PlanHint | undefined; hasDefaultSender: boolean },
): RequestMatch {
	const matching = new Matching(operation, route);
	matching.follow(hint);
	matching.chooseVariant();
	for (const field of ORDER) if (matching.isField(field)) matching.place(field);
	if (hasDefaultSender && !matching.isField("from")) matching.place("from");
	matching.placeAttachments();
	matching.placeChoice();
	matching.placePaging();
	matching.placeConstants();
	return matching.conclude(hasDefaultSender);
}

class Matching {
	readonly #operation: CatalogueOperation;
	readonly #route: DocumentRoute;
	#leaves: readonly WireLeaf[];
	readonly #request: Record<string, RequestMap[string]> = {};
	readonly #filled = new Set<string>();
	readonly #questions: PlanQuestion[] = [];
	#paging: RequestMatch["paging"];

	constructor(operation: CatalogueOperation, route: DocumentRoute) {
		this.#operation = operation;
		this.#route = route;
		this.#leaves = requestLeaves(route);
	}

	isField(field: string): boolean {
		return namesPath(this.#operation.input, field);
	}

	/** Does what the user says. */
	follow(hint: PlanHint | undefined): void {
		for (const [name, value] of Object.entries(hint?.places ?? {})) {
			const leaf = this.#leaves.find(({ place }) => place === name || bare(place) === name);
			const place = leaf?.place ?? name;
			const isField = typeof value === "string" && (this.isField(value) || value === "from");
			const source = isField ? (leaf === undefined ? value : sourceOfFile(value, leaf)) : { value };
			this.#set(place, source, isField ? value : undefined);
		}
	}

	/** A field that says which kind of message it is, and the fields of the other kinds. */
	chooseVariant(): void {
		const variant = chooseVariant(this.#operation.id, this.#leaves, this.#request);
		if (variant === undefined) return;
		this.#leaves = variant.leaves;
		if (variant.value !== undefined) this.#set(variant.place, { value: variant.value });
	}

	/** Finds the place of one field. */
	place(field: string): void {
		if (this.#filled.has(field)) return;
		const { names, ...rule } = namesOfField(field);
		for (const tier of names) {
			const found = this.#free().filter(
				(leaf) =>
					this.#mayBe(field, leaf, tier, rule) &&
					(tier === names[0] || !EXTRAS.includes(field) || this.#isBeside(leaf)),
			);
			const [first, second] = found.sort(
				(left, right) => tier.indexOf(keyOf(left)) - tier.indexOf(keyOf(right)) || left.depth - right.depth,
			);
			if (first === undefined) continue;
			const isDoubtful = tier === ANYBODY && this.#isDoubtful(first);
			if (CONTACTS.includes(field) && (second !== undefined || isDoubtful)) {
				this.#ask(
					first,
					second === undefined ? "the contact, or the sending agent?" : whichOf(second),
					field,
				);
				return;
			}
			const source = sourceOfChoice(field, first);
			if (source !== undefined) this.#set(first.place, source, field);
			return;
		}
	}

	/** Whether it is in no object, or in that of a field with a place: `link_preview.title` is no name of a group. */
	#isBeside({ depth, context }: WireLeaf): boolean {
		if (depth === 0) return true;
		return this.#leaves.some(
			({ place, context: other }) => other === context && Object.hasOwn(this.#request, place),
		);
	}

	/** Whether a number that may be anybody's may be the sending agent's. */
	#isDoubtful(leaf: WireLeaf): boolean {
		if (this.#isOfContact(leaf)) return false;
		return DOUBTFUL.includes(this.#operation.id) || this.#leaves.some(({ key }) => OTHER_CONTACT.test(key));
	}

	#isOfContact({ context, schema }: WireLeaf): boolean {
		if (WHOSE.contact.test(`${context} ${schema.words}`)) return true;
		return this.#operation.id === "analytics.listMessages" && OF_CONVERSATION.test(context);
	}

	#mayBe(field: string, leaf: WireLeaf, tier: readonly string[], rule: Omit<FieldNames, "names">): boolean {
		const { schema, context, place } = leaf;
		const isOnlyId = field === "messageId" && tier.includes("id") && isIdOfMessage(leaf, this.#route.path);
		if ((!tier.includes(keyOf(leaf)) && !isOnlyId) || place.startsWith("header:")) return false;
		const about = `${context} ${schema.words}`;
		if (rule.not?.test(about) && !(CONTACTS.includes(field) && isContactAnyway(leaf, tier))) return false;
		if (AGENTS.includes(field) && tier === ANYBODY) {
			const place = field === "from" ? "" : this.#route.path.replaceAll(/[/_-]/g, " ");
			if (!WHOSE.sender.test(`${about} ${place}`)) return false;
		}
		if (field === "participants") {
			return leaf.isList && (!this.#filled.has("to") || /^(participants|members)$/.test(leaf.key));
		}
		if (leaf.isList && !CONTACTS.includes(field)) return false;
		const type = schema.type === "array" ? schema.items?.type : schema.type;
		if (PHONES.includes(field)) return (type === "string" || type === undefined) && !isIdOrTime(schema);
		const isText = place.startsWith("?") || place.startsWith("{");
		// In a path and a query an integer is written as its text is.
		if (isText && type === "integer" && MESSAGES.includes(field)) return true;
		if (rule.type === "string") return type === "string" || type === undefined;
		if (rule.type === "number")
			return type === "integer" || type === "number" || (isText && type === undefined);
		return type !== "object" && type !== "array" && type !== "boolean";
	}

	placeAttachments(): void {
		const field = this.isField("attachments") ? "attachments" : "attachment";
		if (!this.isField(field)) return;
		const sources = matchAttachments(field, this.#free());
		for (const [place, source] of Object.entries(sources)) this.#set(place, source, field);
	}

	/** `action` of a tapback and `state` of an indicator. */
	placeChoice(): void {
		for (const field of ["action", "state"]) {
			if (!this.isField(field) || this.#filled.has(field)) continue;
			for (const leaf of this.#free()) {
				const source = sourceOfChoice(field, leaf);
				if (typeof source !== "object") continue;
				this.#set(leaf.place, source, field);
				break;
			}
		}
	}

	placePaging(): void {
		if (!this.isField("cursor")) return;
		for (const kind of ["cursor", "offset", "page"] as const) {
			const leaf = this.#free().find(({ key }) => PAGING[kind].includes(key));
			if (leaf === undefined) continue;
			this.#paging = kind;
			this.#set(leaf.place, "cursor", "cursor");
			return;
		}
	}

	/** Values that are always the same, and keys that each call has anew. */
	placeConstants(): void {
		for (const leaf of this.#free()) {
			const { key, schema, isRequired, place } = leaf;
			const [only, ...others] = schema.choices;
			if (UNIQUE.includes(key) && (isRequired || this.#operation.retry === "never"))
				this.#set(place, { uuid: true });
			else if (isRequired && only !== undefined && others.length === 0) this.#set(place, { value: only });
		}
	}

	conclude(hasDefaultSender: boolean): RequestMatch {
		const lacking = neededNames(this.#operation).filter((each) => each !== "to" && !this.#filled.has(each));
		const unfilled = this.#free().filter(isNeeded);
		for (const leaf of unfilled) {
			const isAsked = this.#questions.some(({ flag }) => flag?.includes(`.${bare(leaf.place)}=`));
			const [only] = lacking.filter((field) => PHONES.includes(field) === isOfPhone(leaf));
			if (!isAsked) this.#askValue(leaf, unfilled.length === 1 ? only : undefined);
		}
		const from = Object.entries(this.#request).find(([, source]) => source === "from")?.[0];
		const sender = this.#leaves.find(({ place, isRequired }) => place === from && isRequired);
		if (sender !== undefined && !hasDefaultSender) {
			const message = `${bare(sender.place)}: each call needs the number of the agent that sends`;
			this.#questions.push({ message, flag: "--set defaults.from=NUMBER" });
		}
		for (const field of lacking) {
			this.#questions.push({
				message: `${field} has no place that is clear`,
				flag: this.#flag("NAME", field),
			});
		}
		const request: RequestMap = this.#request;
		return { request, filled: this.#filled, questions: this.#questions, paging: this.#paging };
	}

	/** @param lacking - a field of ours that may belong there. */
	#askValue(leaf: WireLeaf, lacking: string | undefined): void {
		const hasContact = CONTACTS.some((field) => this.#filled.has(field));
		if (hasContact && ANYBODY.includes(keyOf(leaf))) {
			this.#ask(leaf, "the agent that sends?", "NUMBER");
			return;
		}
		const { choices } = leaf.schema;
		const what = choices.length === 0 ? "which value?" : `${choices.slice(0, 6).join(", ")}?`;
		if (lacking?.startsWith("message") && ANYBODY.includes(keyOf(leaf))) {
			this.#ask(leaf, what);
			return;
		}
		const first = choices[0] === undefined ? undefined : String(choices[0]);
		this.#ask(
			leaf,
			lacking === undefined || first !== undefined ? what : `${lacking}?`,
			first ?? lacking ?? "VALUE",
		);
	}

	#ask({ place }: WireLeaf, what: string, answer = "VALUE"): void {
		this.#questions.push({ message: `${bare(place)}: ${what}`, flag: this.#flag(bare(place), answer) });
	}

	#flag(place: string, value: string): string {
		return `--set ${this.#operation.id}.${place}=${value}`;
	}

	#free(): WireLeaf[] {
		const used = Object.keys(this.#request);
		return this.#leaves.filter(
			({ place }) => !used.some((each) => place === each || place.startsWith(`${each}[]`)),
		);
	}

	#set(place: string, source: RequestMap[string], field?: string): void {
		this.#request[place] = source;
		if (field !== undefined) this.#filled.add(field);
	}
}

/** A string has no place for a whole attachment, but for its URL or its bytes. */
function sourceOfFile(field: string, { schema: { type, format } }: WireLeaf): RequestMap[string] {
	if (type !== "string" || (field !== "attachments" && field !== "attachment")) return field;
	const part = format === "byte" || format === "base64" ? "data" : "url";
	return field === "attachment" ? `attachment.${part}` : { each: "attachments", as: "first", item: part };
}

/** Whether a place beside which senders are named is a contact's, since its own words say so. */
function isContactAnyway({ schema: { words } }: WireLeaf, tier: readonly string[]): boolean {
	if (tier === ANYBODY || !WHOSE.contact.test(words)) return false;
	return (
		!WHOSE.surelySender.test(words) || /\b(recipient|contact|customer|destination|end user)\b/i.test(words)
	);
}

/** Names of a contact that is no number: beside one, a number may be the sender's. */
const OTHER_CONTACT =
	/^(to|recipient|chat|conversation|thread|contact|lead|customer|user|client|person)(id|guid|uuid|ref)s?$/;

/** An id that is described as a phone number is one, and the id of a chat is called like one. */
/** Whether a place is named as one for a number of somebody. */
function isOfPhone({ key }: WireLeaf): boolean {
	return /number|phone|msisdn|mobile/.test(key);
}

function keyOf({ key, schema, place, context }: WireLeaf): string {
	if (place.startsWith("{") && (key === "id" || key === "guid")) {
		if (/^(chat|conversation|thread)s?$/i.test(context)) return "chatguid";
		if (/^(group|room)s?$/i.test(context)) return "groupguid";
	}
	const isPhone =
		/\b(phone|e\.?164|\+\d{6,})/i.test(schema.words) && !/^\s*(the )?(id|identifier)\b/i.test(schema.words);
	return isPhone && place.startsWith("{") && /id$/.test(key) ? "number" : key;
}

/** Whether a parameter is the last part of a path, behind the messages. */
function isIdOfMessage({ place, context }: WireLeaf, path: string): boolean {
	return path.endsWith(`/${place}`) && /(message|msg|sms|text)s?$/i.test(context);
}

function isNeeded({ place, isRequired, schema }: WireLeaf): boolean {
	if (place.startsWith("header:") && OTHER_HEADERS.test(place.slice("header:".length))) return false;
	return isRequired && !schema.hasDefault;
}

function whichOf(right: WireLeaf): string {
	return `the contact, or is that ${bare(right.place)}?`;
}

/** Whether it is described as something that is no phone number. */
function isIdOrTime({ format = "", words }: WireLeaf["schema"]): boolean {
	if (/^(date|date-time|uuid|uri|email)$/.test(format)) return true;
	return /\b(ids?|uuid|identifier)\b/i.test(words) && !/phone|e\.?164|\+\d{6,}/i.test(words);
}

/** A place as a flag says it. */
function bare(place: string): string {
	return place.replace(/^header:|^[{?]|\}$|\[\]/g, "");
}
