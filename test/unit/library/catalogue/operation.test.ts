import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import {
	assertPathTemplate,
	defineOperation,
	pathParameters,
	usesQuery,
} from "../../../../src/library/catalogue/operation.ts";
import { ConfigurationError } from "../../../../src/library/errors.ts";

const shapes = { input: z.object({ chatGuid: z.string() }), data: z.object({ pinned: z.boolean() }) };

describe("defineOperation", () => {
	test("fills in what most operations share, and marks it as the caller's own", () => {
		const pinChat = defineOperation({
			id: "chats.pin",
			method: "POST",
			path: "/chat/{chatGuid}/pin",
			...shapes,
		});
		expect(pinChat).toMatchObject({
			id: "chats.pin",
			provenance: "custom",
			retry: "never",
			isSigned: true,
			hasEnvelope: true,
			isDataDocumented: true,
			wireNames: {},
		});
	});

	test("a GET may be repeated, and every default can be set", () => {
		expect(defineOperation({ id: "chats.get", method: "GET", path: "/chat", ...shapes }).retry).toBe("safe");
		expect(
			defineOperation({
				id: "x",
				method: "PUT",
				path: "/x",
				retry: "idempotent",
				isSigned: false,
				hasEnvelope: false,
				...shapes,
			}),
		).toMatchObject({
			retry: "idempotent",
			isSigned: false,
			hasEnvelope: false,
		});
	});
});

describe("path templates", () => {
	test.each(["/a", "/a/{b}", "/a-b_c.d~e/{f}/g", "/a/{b}.json", "/%2Fa", "/a:b", "/a@b", "/...", "/a/"])(
		"%s is one",
		(path) => {
			expect(() => assertPathTemplate(path, "operation x")).not.toThrow();
		},
	);

	test.each([
		"",
		"/",
		"a",
		"//a",
		"/a//",
		"/a//b",
		"/a?b=1",
		"/a#b",
		"/a b",
		"/./a",
		"/a/..",
		"/../a",
		"/{a",
		"/a}",
		"/{}",
		"/{a b}",
		"/é",
		"/a\n",
		"https://evil.example/a",
		"/a\\b",
	])("%j is none", (path) => {
		expect(() => assertPathTemplate(path, "operation x")).toThrow(ConfigurationError);
		expect(() => defineOperation({ id: "x", method: "GET", path, ...shapes })).toThrow(
			/^operation x: the path must start/,
		);
	});

	test("parameters are found in order", () => {
		expect(pathParameters("/a/{b}/{c}-{d}")).toEqual(["b", "c", "d"]);
		expect(pathParameters("/a")).toEqual([]);
	});
});

test.each([
	["GET", true],
	["DELETE", true],
	["POST", false],
	["PUT", false],
	["PATCH", false],
] as const)("fields of a %s go into the query: %s", (method, expected) => {
	expect(usesQuery(method)).toBe(expected);
});
