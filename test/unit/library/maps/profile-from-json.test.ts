import { ConfigurationError, MessagingGateway, type Profile } from "messaging-gateway";
import { profileFromJson } from "messaging-gateway/maps";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { MAPPED_PROFILE } from "../../../support/mapped-profile.ts";

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
	expect(() => profileFromJson({ operations: { "messages.get": 5 } })).toThrow("must be an object");
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
const request = (map: object, rest: object = {}) => text({ ...rest, map: { request: map } });
const list = (response: unknown) => ({ operations: { "agents.list": { map: { response } } } });
const get = (response: unknown) => ({ operations: { "messages.get": { map: { response } } } });
const fields = (given: object) => get({ fields: given });
const inherited = JSON.parse('{"__proto__": "text"}');

describe("is rejected:", () => {
	test.each<[message: string, profile: unknown]>([
		["the profile must be an object", "{}"],
		[
			'Unknown option "sender" of profile.defaults. Did you mean "from"?',
			{ defaults: { sender: "+15550000001" } },
		],
		["profile.defaults.from must be an E.164 number", { defaults: { from: "15550000001" } }],
		['["messages.sendText"].routes must be a list of routes', text({ routes: {} })],
		['["messages.sendText"].routes must be a list of routes', text({ routes: [] })],
		["routes[0]. Use when, method, path, request", text({ routes: [{ verb: "POST" }] })],
		["routes[0].method must be one of GET, POST", text({ routes: [{ method: "SEND" }] })],
		['routes[0]: the path must start with "/"', text({ routes: [{ path: "x" }] })],
		[
			"routes[1] needs when: only the first route is for every other input",
			text({ routes: [{ when: { groupId: true } }, { path: "/x" }] }),
		],
		["routes[0].when must be an object of fields", text({ routes: [{ when: {} }] })],
		["routes[0].when: group is no field of messages.sendText", text({ routes: [{ when: { group: true } }] })],
		[
			"routes[0].when.groupId must be a value of the field, or true if it is given",
			text({ routes: [{ when: { groupId: false } }] }),
		],
		['["messages.sendText"].map. Did you mean "request"?', text({ map: { requests: {} } })],
		["map.request must be an object of places on the wire", request([])],
		['["__proto__"] is no place: write content.text, to[], ?number, {chatId} or header:', request(inherited)],
		["is no place: write", request({ "a.constructor.b": "text" })],
		["is no place: write", request({ "?prototype": "text" })],
		["is no place: write", request({ "a..b": "text" })],
		["is no place: write", request({ "a[0]": "text" })],
		["is no place: write", request({ "": "text" })],
		['map.request["body"]: message is no field of the input', request({ body: "message" })],
		['map.request["body"]: it names no field of the input', request({ body: "+15557654321" })],
		['map.request["…"] must be the name of a field', request({ "+15557654321": 5 })],
		["must be the name of a field, or an object with one of value, from, uuid", request({ body: 5 })],
		["must be the name of a field, or an object with one of value", request({ body: { field: "text" } })],
		["]. Use value", request({ body: { value: 1, map: {} } })],
		["].value must be a string, a number, true, false or null", request({ body: { value: {} } })],
		["].uuid must be true", request({ id: { uuid: false } })],
		["needs map or unit: write the name of the field alone", request({ body: { from: "text" } })],
		["].unit must be one of s, ms, iso", request({ body: { from: "text", unit: "h" } })],
		["each value of", request({ body: { from: "text", map: { a: {} } } })],
		["].parts must be a list of { when, item }", request({ body: { parts: {} } })],
		["].parts[0].when: texts is no field", request({ body: { parts: [{ when: "texts", item: {} }] } })],
		[
			"].parts[0].item must be the name of a field, or an object",
			request({ b: { parts: [{ when: "text" }] } }),
		],
		[
			"must be a field, value or from: an item has no other",
			request({ b: { parts: [{ when: "text", item: { id: { uuid: true } } }] } }),
		],
		[
			"].as must be one of list, first",
			{
				operations: {
					"messages.sendAttachments": { map: { request: { a: { each: "attachments", as: "all" } } } },
				},
			},
		],
		[
			'].item["link"]: href is no field of the input',
			{
				operations: {
					"messages.sendAttachments": {
						map: { request: { a: { each: "attachments", item: { link: "href" } } } },
					},
				},
			},
		],
		["it names no field of the input", request({ to: "participants.0" })],
		["].item: to is no field of the input", request({ to: { each: "to", item: "to" } })],
		['].item["n"]: to is no field of the input', request({ to: { each: "to", item: { n: "to" } } })],
		[
			"].item has no field: each item would be the same",
			request({ to: { parts: [{ when: "participants", item: { kind: { value: "x" } } }] } }),
		],
		...[{ value: null }, { parts: [{ when: "text", item: { a: "text" } }] }].map(
			(source): [string, unknown] => [
				"holds one string: each, parts and null are for the body",
				request({ "?text": source }),
			],
		),
		["is not in the path /message/text", request({ "{to}": "to" })],
		['lacks "{room}", which /rooms/{room} needs', request({ body: "text" }, { path: "/rooms/{room}" })],
		[
			'is in the body, which GET has not: write "?to" for the query',
			request({ to: "to" }, { method: "GET" }),
		],
		...["Authorization", "x-nonce", "Host", "Content-Type", "Cookie", "Sec-Fetch-Mode", "a b"].map(
			(name): [string, unknown] => [
				"is no header that a profile can set: the signature, the host or the connection has it",
				request({ [`header:${name}`]: { value: "x" } }),
			],
		),
		...[
			{ a: "text", "a.b": "to" },
			{ "a[]": "text", "a[].b": "to" },
			{ "a[].b": "text", "a.c": "to" },
			{ "header:X-Key": "text", "header:x-key": "to" },
		].map((map): [string, unknown] => ["has two values at one place, or one inside the other", request(map)]),
		[
			"has a map of its request, and request.encode: leave one out",
			request({ body: "text" }, { request: { encode: () => ({}) } }),
		],
		[
			"has a map of its request, and request.encode: leave one out",
			text({ routes: [{ request: { body: "text" } }], request: { encode: () => ({}) } }),
		],
		[
			"has a map of its response, and response.decode: leave one out",
			text({ map: { response: { fields: {} } }, response: { decode: () => ({}) } }),
		],
		["map.response must be an object", get(5)],
		['map.response. Did you mean "fields"?', get({ field: {} })],
		["map.response.fields must be an object of our fields", get({})],
		["has list or next, and messages.get returns no pages", get({ list: "items", fields: {} })],
		["map.response.root must be names with dots", get({ root: "a..b", fields: {} })],
		['fields["message.id"] is no field of what messages.get returns', fields({ "message.id": "id" })],
		['fields["__proto__"] is no field of what messages.get returns', fields(inherited)],
		["is no field of what messages.get returns", fields({ "message.participants.0": "to" })],
		["must be a place, or an object with at, input or value", fields({ "message.text": 5 })],
		["must be names with dots", fields({ "message.text": { at: "__proto__.x" } })],
		["must be names with dots", fields({ "message.text": {} })],
		["].unit must be one of s, ms, iso", fields({ "message.text": { at: "a", unit: "h" } })],
		["may have one of unit, map and text", fields({ "message.text": { at: "a", text: true, map: {} } })],
		["].text must be true", fields({ "message.text": { at: "a", text: 1 } })],
		["may have one of unit, map and text", fields({ "message.text": { at: "a", unit: "s", map: {} } })],
		["].map must be an object of values", fields({ "message.text": { at: "a", map: [] } })],
		["].input is no field of the input of messages.get", fields({ "message.text": { input: "text" } })],
		["]. Use value", fields({ "message.text": { value: 1, at: "a" } })],
		["map.response.next must be an object with cursor, offset or page", list({ fields: {}, next: {} })],
		["map.response.next. Use cursor", list({ fields: {}, next: { cursor: "c", total: "t" } })],
		["map.response.next.offset must be true", list({ fields: {}, next: { offset: "o" } })],
		["map.response.next.cursor must be names with dots", list({ fields: {}, next: { cursor: 5 } })],
	])("%s", (message, profile) => {
		const error = catchError(() => profileFromJson(profile));
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(error).toHaveProperty("message", expect.stringContaining(message));
		expect(error).toHaveProperty("message", expect.not.stringContaining("15557654321"));
	});
});
