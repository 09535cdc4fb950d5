import { describe } from "vitest";
import type { NextPage, ResponseMap } from "../../../../src/library/catalogue/operation-map.ts";
import { fromWireTime, toWireTime } from "../../../../src/library/maps/convert-time.ts";
import { decodeResponse, isWithoutBody } from "../../../../src/library/maps/decode-response.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

/** A field of ours, and the data in which it is; with the operation's input. */
type Field = readonly [field: ResponseMap["fields"][string], data: unknown, input?: Record<string, unknown>];

const AT_TIME = { at: "at", unit: "iso" } as const;
const MARKS = { at: "a", map: { BLUE: true, 1: "one", null: "nothing", true: "yes" } } as const;
const ID = { at: "id", text: true } as const;

const FIELDS: Outcomes<Field> = {
	'{"our":{"field":"x"}}': {
		"a place": ["a", { a: "x" }],
		"a place in an object": ["a.b", { a: { b: "x" } }],
		"a place in the first item of a list": ["a[].b", { a: [{ b: "x" }, { b: "y" }] }],
		"a constant": [{ value: "x" }, { a: "y" }],
		"a field of the input": [{ input: "a.b" }, {}, { a: { b: "x" } }],
		"a value that is the whole of the data": ["", "x"],
		"a value that a map lacks": [MARKS, { a: "x" }],
	},
	"{}": {
		"a place that there is not": ["a", {}],
		"what every object inherits": ["toString", {}],
		"a place in what is no object": ["a.b", { a: "x" }],
		"a list in what is none": ["a[].b", { a: { b: "x" } }],
		"a field that the input lacks": [{ input: "a" }, { a: "x" }, {}],
		"a time that there is not": [AT_TIME, {}],
	},
	'{"our":{"field":null}}': { null: ["a", { a: null }], "an id that is null": [ID, { id: null }] },
	'{"our":{"field":true}}': { "another value": [MARKS, { a: "BLUE" }] },
	'{"our":{"field":"one"}}': { "another value of a number": [MARKS, { a: 1 }] },
	'{"our":{"field":"nothing"}}': { "another value of null": [MARKS, { a: null }] },
	'{"our":{"field":"yes"}}': { "another value of true": [MARKS, { a: true }] },
	'{"our":{"field":"toString"}}': { "a value that every map inherits": [MARKS, { a: "toString" }] },
	'{"our":{"field":{"toString":1}}}': { "an object that has no text": [MARKS, { a: { toString: 1 } }] },
	'{"our":{"field":"4711"}}': {
		"an id that is a number": [ID, { id: 4711 }],
		"an id that is text": [ID, { id: "4711" }],
	},
	'{"our":{"field":"0"}}': { "an id of 0": [ID, { id: 0 }] },
	'{"our":{"field":9007199254740992}}': { "an id that may be rounded": [ID, { id: 2 ** 53 }] },
	'{"our":{"field":1767225600124}}': {
		"seconds with a fraction": [{ at: "at", unit: "s" }, { at: "1767225600.1239" }],
		milliseconds: [{ at: "at", unit: "ms" }, { at: 1767225600124 }],
		"ISO 8601": [AT_TIME, { at: "2026-01-01T00:00:00.124Z" }],
	},
	'{"our":{"field":"soon"}}': { "a time that is none": [AT_TIME, { at: "soon" }] },
	'{"our":{"field":""}}': { "a time that is an empty string": [{ at: "at", unit: "s" }, { at: "" }] },
};

/** What a list goes on by, what is beside its items, and the cursor with which it was read. */
type End = readonly [next: NextPage | undefined, page: object, cursor?: string];

const ITEM = '{"list":[{"a":1}],"nextCursor":';

const ENDS: Outcomes<End> = {
	[`${ITEM}null}`]: {
		"no next": [undefined, {}],
		"a next cursor of null": [{ cursor: "next" }, { next: null }],
		"an empty next cursor": [{ cursor: "next" }, { next: "" }],
		"a next cursor that is an object": [{ cursor: "next" }, { next: {} }],
		"no more": [{ page: true, more: "more" }, { more: false }],
		"more that is no true": [{ page: true, more: "more" }, { more: "true" }],
		"no more pages": [{ page: true, pages: "pages" }, { pages: 1 }],
		"the last of two pages": [{ page: true, pages: "pages" }, { pages: 2 }, "2"],
		"a total": [{ offset: true, total: "total" }, { total: 1 }],
		"a total after an offset": [{ offset: true, total: "total" }, { total: 5 }, "4"],
		"no item": [{ page: true }, { items: [] }],
	},
	[`${ITEM}"n"}`]: { "a next cursor": [{ cursor: "next" }, { next: "n" }] },
	[`${ITEM}"7"}`]: { "a number as the next cursor": [{ cursor: "next" }, { next: 7 }] },
	[`${ITEM}"0"}`]: { "0 as the next cursor": [{ cursor: "next" }, { next: 0 }] },
	[`${ITEM}"1"}`]: {
		"an offset and no end": [{ offset: true }, {}],
		"an offset and a total": [{ offset: true, total: "total" }, { total: 2 }],
	},
	[`${ITEM}"5"}`]: { "an offset after an offset": [{ offset: true }, {}, "4"] },
	[`${ITEM}"2"}`]: {
		more: [{ page: true, more: "more" }, { more: true }],
		"more pages": [{ page: true, pages: "pages" }, { pages: 2 }],
		"a page and no end": [{ page: true }, {}],
	},
	[`${ITEM}"3"}`]: { "a page after a page": [{ page: true }, {}, "2"] },
};

const LIST = { list: "items", fields: { a: "a" } };

const WITHOUT_BODY: Outcomes<ResponseMap> = {
	true: {
		"no field": { fields: {} },
		"fields of the input, and constants": { fields: { a: { input: "a" }, b: { value: 1 } } },
	},
	false: {
		"a list": { list: "items", fields: { a: { value: 1 } } },
		"a place": { fields: { a: "a", b: { value: 1 } } },
		"a place with a unit": { fields: { a: { at: "a", unit: "s" }, b: { value: 1 } } },
	},
};

describe("a field of a response is read from", () => {
	testOutcomes(FIELDS, ([field, data, input = {}]) =>
		JSON.stringify(decodeResponse({}, { fields: { "our.field": field } }, data, input)),
	);
});

describe("a page ends with", () => {
	testOutcomes(ENDS, ([next, page, cursor]) => {
		const input = cursor === undefined ? {} : { cursor };
		const data = { items: [{ a: 1 }], ...page };
		const read = decodeResponse({ pageItems: "list" }, { ...LIST, next }, data, input);
		return JSON.stringify(read).replace('"list":[]', '"list":[{"a":1}]');
	});
});

const LISTS: Outcomes<readonly [map: Partial<ResponseMap>, data: unknown]> = {
	'{"list":[{"a":1},{}],"nextCursor":null}': {
		"a list in an object": [{ list: "items" }, { items: [{ a: 1 }, {}] }],
		"a list in a root": [{ root: "page", list: "items" }, { page: { items: [{ a: 1 }, {}] } }],
		"a list that is the whole of the data": [{}, [{ a: 1 }, {}]],
	},
	'{"list":5}': { "a number for a list, which the schema reports": [{ list: "items" }, { items: 5 }] },
	"{}": { "no list, which the schema reports": [{ list: "items" }, {}] },
};

describe("a list is read from", () => {
	testOutcomes(LISTS, ([map, data]) =>
		JSON.stringify(decodeResponse({ pageItems: "list" }, { fields: { a: "a" }, ...map }, data, {})),
	);
});

describe("whether a response needs no body:", () => {
	testOutcomes(WITHOUT_BODY, (map) => String(isWithoutBody(map)));
});

type Time = readonly [time: unknown, unit: "s" | "ms" | "iso"];

const TO_WIRE: Outcomes<Time> = {
	null: { "null in seconds": [null, "s"] },
	1767225600: { "seconds, rounded down": [1767225600999, "s"] },
	1767225600999: { milliseconds: [1767225600999, "ms"] },
	'"2026-01-01T00:00:00.999Z"': { "ISO 8601": [1767225600999, "iso"] },
	undefined: {
		"a string in milliseconds": ["5", "ms"],
		"a string in seconds": ["5", "s"],
		"a time that no date has": [Number.MAX_SAFE_INTEGER, "iso"],
	},
};

const FROM_WIRE: Outcomes<Time> = {
	null: { null: [null, "s"] },
	'""': { "an empty string in seconds": ["", "s"], "an empty string in milliseconds": ["", "ms"] },
	true: { "true, which is no time": [true, "ms"] },
	5: { "milliseconds in a string": ["5", "ms"], "milliseconds, rounded": [5.4, "ms"] },
	5000: { "seconds in a string": ["5", "s"], seconds: [5, "s"] },
};

describe("a time to the wire:", () =>
	testOutcomes(TO_WIRE, (time) => `${JSON.stringify(toWireTime(...time))}`));
describe("a time from the wire:", () => {
	testOutcomes(FROM_WIRE, (time) => JSON.stringify(fromWireTime(...time)));
});
