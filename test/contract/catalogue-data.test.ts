import { describe, expect, test } from "vitest";
import { checkShape } from "../../src/library/catalogue/check.ts";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import type { Operation } from "../../src/library/catalogue/operation.ts";
import { operationSamples } from "../support/operation-samples.ts";

const operations: readonly Operation<unknown, unknown>[] = OPERATIONS;
const cases = operations.map(
	(operation) => [operation.id, operation, operationSamples[operation.id as never]["data"]] as const,
);
/** Operations whose data has a shape at all: health keeps whatever comes. */
const shaped = cases.filter(([id]) => id !== "health.check");

/** A copy with a field that nobody knows in every object, at any depth. */
function withUnknownFields(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withUnknownFields);
	if (typeof value !== "object" || value === null) return value;
	// `byStatus` is a record of counts: what is in it has a type.
	const members = Object.entries(value).map(([key, member]) => [
		key,
		key === "byStatus" ? member : withUnknownFields(member),
	]);
	return { ...Object.fromEntries(members), brandNew: { nested: [null, 1] } };
}

/** A copy in which every open enumeration has a value that is new. */
function withNewEnumValues(value: unknown): unknown {
	const enumerations = ["status", "reaction", "action", "state", "service"];
	if (Array.isArray(value)) return value.map(withNewEnumValues);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, member]) => [
			key,
			enumerations.includes(key) ? "brand-new" : withNewEnumValues(member),
		]),
	);
}

describe("responses", () => {
	test.each(cases)("%s: complete data is valid and returned unchanged", async (_id, operation, data) => {
		expect(await checkShape(operation.data, data)).toEqual({ ok: true, value: data });
	});

	test.each(cases)("%s: unknown fields are kept at every depth", async (_id, operation, data) => {
		const extended = withUnknownFields(data);
		expect(extended).not.toEqual(data);
		expect(await checkShape(operation.data, extended)).toEqual({ ok: true, value: extended });
	});

	test.each(cases)("%s: enumeration values that are new pass", async (_id, operation, data) => {
		const changed = withNewEnumValues(data);
		expect(await checkShape(operation.data, changed)).toEqual({ ok: true, value: changed });
	});

	test.each(shaped)("%s: each field that is missing is named", async (_id, operation, data) => {
		for (const name of Object.keys(data)) {
			const { [name]: _left, ...rest } = data as Record<string, unknown>;
			expect(await checkShape(operation.data, rest)).toMatchObject({ ok: false, issues: [{ path: name }] });
		}
	});

	test.each(shaped)("%s: a value of another type is named, not quoted", async (_id, operation, data) => {
		for (const name of Object.keys(data)) {
			const outcome = await checkShape(operation.data, { ...(data as object), [name]: Symbol("private") });
			expect(outcome).toMatchObject({ ok: false, issues: [{ path: name }] });
			expect(JSON.stringify(outcome)).not.toContain("private");
		}
	});

	test.each(shaped)("%s: null, a list and a string are invalid", async (_id, operation) => {
		for (const value of [null, [], "private", undefined]) {
			const issues = [{ path: "", message: "must be an object" }];
			expect(await checkShape(operation.data, value)).toEqual({ ok: false, issues, schemaIssues: issues });
		}
	});

	test.each([[null], ["OK"], [[1]], [{ any: "thing" }], [undefined]])(
		"health keeps %j as it is",
		async (value) => {
			const health = operations.find(({ id }) => id === "health.check");
			expect(health && (await checkShape(health.data, value))).toEqual({ ok: true, value });
		},
	);
});

describe("the mapping of section 2.3", () => {
	const operation = operations.find(({ id }) => id === "mappings.get") as Operation<unknown, unknown>;
	const { mapping } = operationSamples["mappings.get"].data as { mapping: Record<string, unknown> };
	const check = (changes: object) => checkShape(operation.data, { mapping: { ...mapping, ...changes } });
	const nullable = [
		"createdAt",
		"respondedAt",
		"lastRespondedAt",
		"receivedAt",
		"lastReceivedAt",
		"lastWarningSentAt",
		"duplicate",
	];

	test.each(Object.keys(mapping))("%s is nullable as documented", async (name) => {
		const expected = nullable.includes(name)
			? { ok: true }
			: { ok: false, issues: [{ path: `mapping.${name}` }] };
		expect(await check({ [name]: null })).toMatchObject(expected);
	});

	test("the duplicate window may be absent; every other field may not", async () => {
		for (const name of Object.keys(mapping)) {
			const { [name]: _left, ...rest } = mapping;
			expect((await checkShape(operation.data, { mapping: rest })).ok).toBe(name === "duplicate");
		}
	});

	test("numbers may have fractions and need no unit (double)", async () => {
		expect(await check({ createdAt: 0.5, outbound: 1.5, lastWarningSentAt: -1 })).toMatchObject({ ok: true });
	});

	test("phone numbers that come in are not checked for their form", async () => {
		expect(await check({ agentNumber: "agent@example.com", userNumber: "12345" })).toMatchObject({
			ok: true,
		});
	});

	test("a duplicate window lists its five fields (section 2.4)", async () => {
		for (const name of [
			"isDuplicate",
			"lastMessageSignature",
			"currentMessageSignature",
			"timeRemaining",
			"message",
		]) {
			const { [name]: _left, ...rest } = mapping["duplicate"] as Record<string, unknown>;
			expect(await check({ duplicate: rest })).toMatchObject({
				ok: false,
				issues: [{ path: `mapping.duplicate.${name}` }],
			});
		}
	});
});
