import { describe, expect, test } from "vitest";
import { OPERATIONS, type OperationId } from "../../../../../src/library/catalogue/index.ts";
import type { Operation } from "../../../../../src/library/catalogue/operation.ts";
import { docsOf } from "../../../../../src/library/catalogue/operation-docs.ts";
import { readDocument, readSchema } from "../../../../../src/tools/console/api/document/read-document.ts";
import { apiDocument, apiOperation } from "../../../../support/api-console.ts";

const operations: readonly Operation<unknown, unknown, OperationId>[] = OPERATIONS;

describe("the gateway's own document", () => {
	test.each(operations)(
		"$id is read as it is declared",
		({ id, method, path, isSigned, hasEnvelope, provenance }) => {
			const { summary, section } = docsOf(id);
			const read = apiOperation(id);
			expect(read).toMatchObject({ id, method, path, isSigned, hasEnvelope, summary });
			expect(read.provenance.isKnown).toBe(provenance === "documented");
			if (section !== undefined) expect(read.provenance.reason).toContain(section);
		},
	);

	test("groups the operations by area, in the order of the document", () => {
		expect(apiDocument.groups.map(({ name }) => name)).toEqual([
			...new Set(operations.map(({ id }) => id.slice(0, id.indexOf(".")))),
		]);
	});

	test("has a meaning for every error code", () => {
		const errors = apiDocument.groups
			.flatMap((group) => group.operations)
			.flatMap(({ responses }) => responses.flatMap((response) => response.errors));
		expect(errors.length).toBeGreaterThan(100);
		expect(errors.filter(({ meaning }) => meaning === "")).toEqual([]);
	});
});

describe("other documents", () => {
	test.each([undefined, [], { paths: 1 }, { paths: { "/a": null } }, { paths: { "/a": { get: null } } }])(
		"%j is read without an error",
		(document) => {
			expect(() => readDocument(document)).not.toThrow();
		},
	);

	test("an operation without id and security has defaults", () => {
		const { groups } = readDocument({ paths: { "/a": { get: {} } } });
		expect(groups).toMatchObject([{ operations: [{ id: "GET /a", isSigned: false, responses: [] }] }]);
	});

	test("the security of the document applies if an operation has none", () => {
		const { groups } = readDocument({
			security: [{ a: [] }],
			paths: { "/a": { get: {}, post: { security: [] } } },
		});
		expect(groups.flatMap(({ operations }) => operations).map(({ isSigned }) => isSigned)).toEqual([
			true,
			false,
		]);
	});

	test("a server URL with variables is ignored", () => {
		expect(readDocument({ servers: [{ url: "{base_url}" }] }).serverUrl).toBeUndefined();
		expect(readDocument({ servers: [{ url: "/gateway" }] }).serverUrl).toBe("/gateway");
	});
});

describe("schemas", () => {
	const document = {
		components: {
			schemas: {
				Base: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
				"a/b": { type: "number" },
				Loop: { type: "object", properties: { next: { $ref: "#/components/schemas/Loop" } } },
			},
		},
	};

	test("a reference is resolved, and the fields beside it override its target", () => {
		const schema = readSchema(document, { $ref: "#/components/schemas/Base", description: "mine" });
		expect(schema).toMatchObject({ types: ["object"], required: ["a"], description: "mine" });
		expect(readSchema(document, { $ref: "#/components/schemas/a~1b" }).types).toEqual(["number"]);
	});

	test("a reference to nothing accepts anything", () => {
		expect(readSchema(document, { $ref: "#/components/schemas/Nothing" }).types).toEqual([]);
		expect(readSchema(document, { $ref: "#/components/schemas/toString" }).types).toEqual([]);
	});

	test("a recursive schema ends", () => {
		expect(JSON.stringify(readSchema(document, { $ref: "#/components/schemas/Loop" })).length).toBeLessThan(
			10_000,
		);
	});
});
