import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import { changedInput, checkInput, operationSamples } from "../support/operation-samples.ts";
import { ACCEPTED_CHANGES } from "./operation-inputs.ts";

const ids = OPERATIONS.map(({ id }) => id);

describe("every operation", () => {
	test.each(ids)("%s accepts its sample unchanged", async (id) => {
		const { input } = operationSamples[id];
		expect(await checkInput(id, input)).toEqual({ ok: true, value: input });
	});

	test.each(ids)("%s rejects an unknown field, and names the known ones", async (id) => {
		expect(await checkInput(id, { ...operationSamples[id].input, nope: "private" })).toEqual({
			ok: false,
			issues: [
				{
					path: "",
					message: expect.stringMatching(
						/^has an unknown field( \(hidden, since a name may be a secret\))?(: use [\w, ]+|: schemaIssues names it.*)?$/,
					),
				},
			],
			schemaIssues: [{ path: "", message: "has unknown fields: nope" }],
		});
	});

	test.each(ids)("%s rejects a value that is not an object", async (id) => {
		for (const input of [null, undefined, [], "private", 5]) {
			const issues = [{ path: "", message: "must be an object" }];
			expect(await checkInput(id, input)).toEqual({ ok: false, issues, schemaIssues: issues });
		}
	});
});

describe("inputs at the edge that are accepted", () => {
	test.each(ACCEPTED_CHANGES)("%s: %s", async (id, _title, changes) => {
		const input = changedInput(id, changes);
		expect(await checkInput(id, input)).toEqual({ ok: true, value: input });
	});
});
