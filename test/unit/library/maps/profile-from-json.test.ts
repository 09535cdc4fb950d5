import { ConfigurationError, MessagingGateway, type Profile } from "messaging-gateway";
import { profileFromJson } from "messaging-gateway/maps";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { MAPPED_PROFILE } from "../../../support/mapped-profile.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

test("a profile of data is copied and frozen, lists included, and says the same as its JSON", () => {
	const profile = profileFromJson(MAPPED_PROFILE);
	expect(JSON.parse(JSON.stringify({ ...profile, mapper: undefined }))).toEqual(MAPPED_PROFILE);
	const { routes } = profile.operations?.["messages.tapback"] ?? {};
	for (const part of [profile.operations, routes, routes?.[1], routes?.[1]?.when])
		expect(Object.isFrozen(part)).toBe(true);
	expect(routes).not.toBe(MAPPED_PROFILE.operations["messages.tapback"].routes);
	expect(profileFromJson(profile)).toEqual(profile);
});

test("a profile without maps is what defineProfile makes of it", () => {
	const profile = { limits: { textLength: 160 }, operations: { "messages.get": { path: "/m/{messageId}" } } };
	expect(profileFromJson(profile)).toEqual(profile);
	expect(() => profileFromJson({ operations: 5 })).toThrow("profile.operations must be an object");
	expect(() => profileFromJson({ operations: { "messages.get": 5 } })).toThrow(
		'profile.operations["messages.get"] must be an object, such as { method: … }',
	);
});

test("maps that were given as they are say what to do, wherever they are given", () => {
	const operations = { "messages.get": { map: { request: { "?id": "messageId" } } } };
	const parts: [name: string, profile: Profile][] = [
		['profile.operations["messages.get"]', { operations }],
		["profile.defaults", { defaults: { from: "+15550000001" } }],
	];
	for (const [name, profile] of parts) {
		const message = `${name} is data for profileFromJson of messaging-gateway/maps: give the profile to it, and use what it returns`;
		for (const make of [() => new MessagingGateway({ profile }), () => createLocalGateway({ profile })])
			expect(make).toThrow(new ConfigurationError(message));
	}
});

test("what is changed later is checked by whoever gets it", () => {
	const profile = profileFromJson(MAPPED_PROFILE);
	const operations = { "mappings.get": { map: { request: { "{toNumber}": "to" } } } };
	expect(() => new MessagingGateway({ profile: { ...profile, operations } })).toThrow(
		'profile.operations["mappings.get"].map.request["{toNumber}"]: to is no field of the input',
	);
});

const text = (operation: object) => ({ operations: { "messages.sendText": operation } });
const IN_TEXT = 'profile.operations["messages.sendText"]';

/** What is wrong with a profile: a sentence of ours, without what could be a number. */
function problemOf(profile: unknown): string {
	try {
		profileFromJson(profile);
		return "nothing";
	} catch (error) {
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(String(error)).not.toContain("15557654321");
		return (error as Error).message;
	}
}

const PROFILES: Outcomes<unknown> = {
	"the profile must be an object": { "a profile that is still a string": "{}" },
	'Unknown option "sender" of profile.defaults. Did you mean "from"?': {
		"another default": { defaults: { sender: "x" } },
	},
	"profile.defaults.from must be an E.164 number: + and 7 to 15 digits, such as +15551234567": {
		"a default sender without a plus": { defaults: { from: "15550000001" } },
		"a default sender that is a number": { defaults: { from: 15550000001 } },
	},
	[`${IN_TEXT}.routes must be a list of routes`]: {
		"routes in an object": text({ routes: {} }),
		"no routes": text({ routes: [] }),
	},
	[`Unknown option "verb" of ${IN_TEXT}.routes[0]: remove it, or use when, method, path, request`]: {
		"another key of a route": text({ routes: [{ verb: "POST" }] }),
	},
	[`${IN_TEXT}.routes[0].method must be one of GET, POST, PUT, PATCH, DELETE`]: {
		"another method of a route": text({ routes: [{ method: "SEND" }] }),
	},
	[`${IN_TEXT}.routes[0]: the path must start with "/" and be a template such as /mapping/{toNumber}`]: {
		"a path of a route without a slash": text({ routes: [{ path: "x" }] }),
	},
	[`${IN_TEXT}.routes[1] needs when: only the first route is for every other input`]: {
		"a second route without when": text({ routes: [{ when: { groupId: true } }, { path: "/x" }] }),
	},
	[`${IN_TEXT}.routes[0].when must be an object of fields, such as { "action": "remove" }`]: {
		"an empty when": text({ routes: [{ when: {} }] }),
		"a when that is a string": text({ routes: [{ when: "groupId" }] }),
	},
	[`${IN_TEXT}.routes[0].when: group is no field of messages.sendText`]: {
		"a when of a field that there isn't": text({ routes: [{ when: { group: true } }] }),
	},
	[`${IN_TEXT}.routes[0].when: a name is no field of messages.sendText`]: {
		"a when of a number": text({ routes: [{ when: { "+15557654321": true } }] }),
		"a when of an item": text({ routes: [{ when: { "participants.0": true } }] }),
	},
	[`${IN_TEXT}.routes[0].when.groupId must be a value of the field, or true if it is given`]: {
		"a when that is false": text({ routes: [{ when: { groupId: false } }] }),
	},
	[`${IN_TEXT}.routes[0].request["body"]: message is no field of the input`]: {
		"a field that there isn't, in the map of a route": text({ routes: [{ request: { body: "message" } }] }),
	},
	[`Unknown option "requests" of ${IN_TEXT}.map. Did you mean "request"?`]: {
		"another key of a map": text({ map: { requests: {} } }),
	},
	[`${IN_TEXT}.map.request lacks "{room}", which /rooms/{room} needs`]: {
		"a parameter without a place": text({ path: "/rooms/{room}", map: { request: { body: "text" } } }),
	},
	[`${IN_TEXT}.map.request lacks "{room}", which /{to}/rooms/{room} needs`]: {
		"a second parameter without a place": text({
			path: "/{to}/rooms/{room}",
			map: { request: { "{to}": "to", body: "text" } },
		}),
	},
	[`${IN_TEXT}.map.request["to"] is in the body, which GET doesn't have: write "?to" for the query`]: {
		"a body with GET": text({ method: "GET", map: { request: { to: "to" } } }),
	},
	[`${IN_TEXT} has a map of its request, and request.encode: leave one out`]: {
		"a map and an encoder": text({ map: { request: {} }, request: { encode: () => ({}) } }),
		"a route's map and an encoder": text({
			routes: [{ request: { body: "text" } }],
			request: { encode: () => ({}) },
		}),
	},
	[`${IN_TEXT} has a map of its response, and response.decode: leave one out`]: {
		"a map and a decoder": text({ map: { response: { fields: {} } }, response: { decode: () => ({}) } }),
	},
	nothing: {
		"a when of a number's value": {
			operations: { "messages.tapback": { routes: [{ when: { partIndex: 1 } }] } },
		},
		"a header that only ends like one of the host": text({ map: { request: { "header:X-Via": "to" } } }),
		"a header that only begins like one of the host": text({ map: { request: { "header:Viaduct": "to" } } }),
	},
};

const REQUEST = 'profile.operations["messages.sendAttachments"].map.request';

/** What is wrong with a map of the request of messages.sendAttachments, which has lists. */
function requestProblemOf(request: unknown): string {
	const problem = problemOf({ operations: { "messages.sendAttachments": { map: { request } } } });
	return problem.startsWith(REQUEST) ? problem.slice(REQUEST.length).trimStart() : problem;
}

/** A map whose list has this in place of each attachment. */
const each = (item: unknown) => ({ a: { each: "attachments", item } });
const parts = (...list: unknown[]) => ({ a: { parts: list } });
const header = (name: string) => ({ [`header:${name}`]: { value: "x" } });
const inherited = JSON.parse('{"__proto__": "text"}');

const IS_NO_PLACE =
	"is no place: write content.text, to[], ?number, {chatId} or header:Idempotency-Key, without __proto__, constructor and prototype";
const IS_NO_SOURCE = "must be the name of a field, or an object with one of value, from, uuid, each, parts";
const IS_NO_HEADER = "is no header that a profile can set: the signature, the host or the connection has it";
const HOLDS_ONE = "holds one string: each, parts and null are for the body";

const REQUEST_MAPS: Outcomes<unknown> = {
	"must be an object of places on the wire": { "a list": [] },
	[`["__proto__"] ${IS_NO_PLACE}`]: { "an own __proto__": inherited },
	[`["a.constructor.b"] ${IS_NO_PLACE}`]: { "a place in a constructor": { "a.constructor.b": "text" } },
	[`["?prototype"] ${IS_NO_PLACE}`]: { "a prototype in the query": { "?prototype": "text" } },
	[`["a..b"] ${IS_NO_PLACE}`]: { "two dots": { "a..b": "text" } },
	[`["a[0]"] ${IS_NO_PLACE}`]: { "an index": { "a[0]": "text" } },
	[`["x?b"] ${IS_NO_PLACE}`]: { "a question mark inside": { "x?b": "text" } },
	[`["…"] ${IS_NO_PLACE}`]: {
		"an empty place": { "": "text" },
		"half of a surrogate pair": { "?\ud800": "text" },
		"a parameter in a line of its own": { "{to}\n": "to" },
	},
	[`["body"]: message is no field of the input`]: { "a field that there isn't": { body: "message" } },
	[`["body"]: content.text is no field of the input`]: { "a field of a field": { body: "content.text" } },
	[`["body"]: it names no field of the input`]: {
		"a number for a field": { body: "+15557654321" },
		"an item for a field": { body: "participants.0" },
	},
	[`["body"] ${IS_NO_SOURCE}`]: {
		"a number for a source": { body: 5 },
		"null for a source": { body: null },
		"a source of another kind": { body: { field: "text" } },
	},
	[`["…"] ${IS_NO_SOURCE}`]: {
		"a number for a source, in a number's place": { "+15557654321": 5 },
		"a number for a source, in a place of 61 letters": { ["a".repeat(61)]: 5 },
	},
	[`Unknown option "map" of ${REQUEST}["body"]: remove it, or use value`]: {
		"a constant with a map": { body: { value: 1, map: {} } },
	},
	[`["body"].value must be a string, a number, true, false or null`]: {
		"a constant that is an object": { body: { value: {} } },
		"a constant that is NaN": { body: { value: Number.NaN } },
	},
	[`["id"].uuid must be true`]: { "a UUID that is false": { id: { uuid: false } } },
	[`["body"].from: message is no field of the input`]: {
		"another value of a field that there isn't": { body: { from: "message", unit: "s" } },
	},
	[`["body"] needs map or unit: write the name of the field alone without them`]: {
		"another value, without map and unit": { body: { from: "text" } },
		"another value, with map and unit": { body: { from: "text", map: {}, unit: "s" } },
	},
	[`["body"].unit must be one of s, ms, iso`]: { "a unit of hours": { body: { from: "text", unit: "h" } } },
	[`["body"].map must be an object of values`]: { "values in a list": { body: { from: "text", map: [] } } },
	[`each value of profile.operations["messages.sendAttachments"].map.request["body"].map must be a string, a number, true, false or null`]:
		{ "a value that is an object": { body: { from: "text", map: { a: {} } } } },
	[`["a"].each: files is no field of the input`]: { "a list that there isn't": { a: { each: "files" } } },
	[`["a"].as must be one of list, first`]: {
		"another form of a list": { a: { each: "attachments", as: "all" } },
	},
	[`["a"].item must be the name of a field, or an object of places in an item`]: {
		"a list without an item": each(undefined),
		"a list with an empty item": each({}),
	},
	[`["a"].item: href is no field of the input`]: { "a field that an item hasn't": each("href") },
	[`["a"].item["link"]: href is no field of the input`]: {
		"a field that an item hasn't, in an object": each({ link: "href" }),
	},
	[`["a"].item["…"]: it names no field of the input`]: {
		"a number in an item": each({ "+15557654321": "0" }),
	},
	[`["a"].item["…"] must be a place in an item`]: {
		"a query in an item": each({ "?link": "url" }),
		"no place in an item": each({ "a..b": "url" }),
	},
	[`["a"].item["link"] must be a field, value or from: an item has no other`]: {
		"a UUID in an item": each({ link: { uuid: true } }),
	},
	[`["a"].item has no field: each item would be the same`]: {
		"an item of constants": each({ kind: { value: "x" } }),
	},
	[`["to"].item: to is no field of the input`]: {
		"an item of what is no list": { to: { each: "to", item: "to" } },
	},
	[`["a"].parts must be a list of { when, item }`]: {
		"parts in an object": { a: { parts: {} } },
		"no parts": parts(),
	},
	[`Unknown option "if" of ${REQUEST}["a"].parts[0]: remove it, or use when, item`]: {
		"another key of a part": parts({ when: "text", item: { a: "text" }, if: 1 }),
	},
	[`["a"].parts[0].when: texts is no field of the input`]: {
		"a part of a field that there isn't": parts({ when: "texts", item: {} }),
	},
	[`["a"].parts[0].item must be the name of a field, or an object of places in an item`]: {
		"a part without an item": parts({ when: "text" }),
	},
	[`["a"].parts[0].item must be an object`]: { "a part of a name": parts({ when: "text", item: "text" }) },
	[`["a"].parts[1].item["id"] must be a field, value or from: an item has no other`]: {
		"a UUID in a part": parts(
			{ when: "text", item: { a: "text" } },
			{ when: "text", item: { id: { uuid: true } } },
		),
		"a list in a part": parts(
			{ when: "text", item: { a: "text" } },
			{ when: "text", item: { id: { each: "attachments", item: "url" } } },
		),
		"parts in a part": parts(
			{ when: "text", item: { a: "text" } },
			{ when: "text", item: { id: { parts: [{ when: "text", item: { a: "text" } }] } } },
		),
	},
	[`["a"].parts[0].item has no field: each item would be the same`]: {
		"a part of constants": parts({ when: "participants", item: { kind: { value: "x" } } }),
	},
	[`["?text"] ${HOLDS_ONE}`]: {
		"null in the query": { "?text": { value: null } },
		"a list in the query": { "?text": { each: "attachments", item: "url" } },
		"parts in the query": { "?text": { parts: [{ when: "text", item: { a: "text" } }] } },
	},
	'["{to}"] isn\'t in the path /message/attachment': { "a parameter that there isn't": { "{to}": "to" } },
	...Object.fromEntries(
		["Authorization", "x-nonce", "Host", "Content-Type", "Cookie", "Sec-Fetch-Mode"].map((name) => [
			`["header:${name}"] ${IS_NO_HEADER}`,
			{ [`the header ${name}`]: header(name) },
		]),
	),
	[`["…"] ${IS_NO_HEADER}`]: { "a header with a space": header("a b") },
	"has two values at one place, or one inside the other": {
		"a value, and one inside it": { a: "text", "a.b": "to" },
		"a value inside another one that comes later": { "a.b": "to", a: "text" },
		"a list, and a value inside its first item": { "a[]": "text", "a[].b": "to" },
		"a list and an object": { "a[].b": "text", "a.c": "to" },
		"an object and a list": { "a.c": "to", "a[].b": "text" },
		"a header in two cases": { "header:X-Key": "text", "header:x-key": "to" },
	},
	nothing: {
		"a parameter of the query in two cases": { "?a": "to", "?A": "text" },
		"the same name in the query and in the body": { "?a": "to", a: "text" },
		"two members of one object": { "a.b": "to", "a.c": "text" },
		"two members of the first item of a list": { "a[].b": "to", "a[].c": "text" },
		"constants of all types": {
			a: { value: "x" },
			b: { value: 1 },
			c: { value: true },
			d: { value: null },
		},
		"another value in an item": each({ kind: { from: "mimeType", map: { "image/png": "IMAGE" } } }),
	},
};

const GET = 'profile.operations["messages.get"].map.response';
const LIST = 'profile.operations["agents.list"].map.response';

/** What is wrong with a map of the response of messages.get, or of agents.list, which returns pages. */
function responseProblemOf(response: unknown): string {
	const isList = Object(response).next !== undefined;
	const id = isList ? "agents.list" : "messages.get";
	const owner = isList ? LIST : GET;
	const problem = problemOf({ operations: { [id]: { map: { response } } } });
	return problem.startsWith(owner) ? problem.slice(owner.length).trimStart() : problem;
}

const fields = (given: object) => ({ fields: given });
const next = (given: unknown) => ({ fields: {}, next: given });

const IS_NO_PATH =
	"must be names with dots, such as message.id or to[], without __proto__, constructor and prototype";

const RESPONSE_MAPS: Outcomes<unknown> = {
	"must be an object, such as { root: … }": { "a number": 5 },
	[`Unknown option "field" of ${GET}. Did you mean "fields"?`]: { "another key": { field: {} } },
	".fields must be an object of our fields": { "no fields": {}, "fields in a list": { fields: [] } },
	[`.root ${IS_NO_PATH}`]: { "two dots in root": { root: "a..b", fields: {} } },
	[`.list ${IS_NO_PATH}`]: { "two dots in list": { list: "a..b", fields: {} } },
	"has list or next, and messages.get returns no pages": {
		"a list, where there is none": { list: "items", fields: {} },
	},
	'.fields["message.id"] is no field of what messages.get returns': {
		"a field that there isn't": fields({ "message.id": "id" }),
	},
	'.fields["…"] is no field of what messages.get returns': {
		"an own __proto__": fields(inherited),
		"an item": fields({ "message.participants.0": "to" }),
		"a number": fields({ "+15557654321": "to" }),
	},
	'.fields["message.text"] must be a place, or an object with at, input or value': {
		"a number for a place": fields({ "message.text": 5 }),
	},
	[`.fields["message.text"] ${IS_NO_PATH}`]: { "two dots in a place": fields({ "message.text": "a..b" }) },
	[`.fields["message.text"].at ${IS_NO_PATH}`]: {
		"__proto__ in a place": fields({ "message.text": { at: "__proto__.x" } }),
		"no place": fields({ "message.text": {} }),
	},
	'.fields["message.text"].unit must be one of s, ms, iso': {
		"a unit of hours": fields({ "message.text": { at: "a", unit: "h" } }),
	},
	'.fields["message.text"] may have one of unit, map and text': {
		"text and a map": fields({ "message.text": { at: "a", text: true, map: {} } }),
		"a unit and a map": fields({ "message.text": { at: "a", unit: "s", map: {} } }),
	},
	'.fields["message.text"].text must be true': {
		"text that is 1": fields({ "message.text": { at: "a", text: 1 } }),
	},
	'.fields["message.text"].map must be an object of values': {
		"values in a list": fields({ "message.text": { at: "a", map: [] } }),
	},
	'.fields["message.text"].input is no field of the input of messages.get': {
		"a field that the input hasn't": fields({ "message.text": { input: "text" } }),
		"a number for a field of the input": fields({ "message.text": { input: 5 } }),
	},
	[`Unknown option "at" of ${GET}.fields["message.text"]: remove it, or use input`]: {
		"a field of the input, and a place": fields({ "message.text": { input: "messageId", at: "a" } }),
	},
	[`Unknown option "at" of ${GET}.fields["message.text"]: remove it, or use value`]: {
		"a constant, and a place": fields({ "message.text": { value: 1, at: "a" } }),
	},
	".next must be an object with cursor, offset or page": {
		"an empty next": next({}),
		"next is null": next(null),
	},
	[`Unknown option "total" of ${LIST}.next: remove it, or use cursor`]: {
		"a cursor and a total": next({ cursor: "c", total: "t" }),
	},
	[`Unknown option "total" of ${LIST}.next: remove it, or use page, more, pages`]: {
		"a page and a total": next({ page: true, total: "t" }),
	},
	[`Unknown option "more" of ${LIST}.next: remove it, or use offset, total`]: {
		"an offset and more": next({ offset: true, more: "m" }),
	},
	".next.offset must be true": { "an offset that is a place": next({ offset: "o" }) },
	".next.page must be true": { "a page that is a place": next({ page: "p" }) },
	[`.next.cursor ${IS_NO_PATH}`]: { "a cursor that is a number": next({ cursor: 5 }) },
	nothing: {
		"a page, more and pages": next({ page: true, more: "m", pages: "p" }),
		"an offset and a total": next({ offset: true, total: "t" }),
	},
};

testOutcomes(PROFILES, problemOf);
describe("the map of a request", () => testOutcomes(REQUEST_MAPS, requestProblemOf));
describe("the map of a response", () => testOutcomes(RESPONSE_MAPS, responseProblemOf));
