import { ApiError, MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { readMembers } from "../../scripts/docs/members.ts";
import { OPERATIONS, type OperationId } from "../../src/library/catalogue/index.ts";
import { ASSUMED_LIMITS } from "../../src/library/catalogue/limits.ts";
import { maxRequestBytes } from "../../src/tools/local-gateway/incoming.ts";
import { changedInput, checkInput } from "../support/operation-samples.ts";
import { EXCESSIVE_CHANGES } from "./operation-inputs.ts";

/** The error of a call of the catalogue's operation with any input; `undefined` if it succeeds. */
async function errorOf(gateway: MessagingGateway, id: OperationId, input: unknown): Promise<unknown> {
	const operation = OPERATIONS.find((candidate) => candidate.id === id);
	if (operation === undefined) throw new Error(`no operation ${id}`);
	return gateway.call(operation as never, input as never).then(
		() => undefined,
		(error: unknown) => error,
	);
}

describe("more than a gateway is assumed to accept", () => {
	test.each(EXCESSIVE_CHANGES)("%s: %s is valid for the client", async (id, _title, changes) => {
		expect((await checkInput(id, changedInput(id, changes))).ok).toBe(true);
	});

	test.each(EXCESSIVE_CHANGES)(
		"%s: %s reaches the local gateway, which rejects it by its field",
		async (id, _title, changes, [field]) => {
			await using local = createLocalGateway();
			const gateway = new MessagingGateway(local.clientOptions);
			const error = await errorOf(gateway, id, changedInput(id, changes));
			expect(error).toMatchObject({ code: "bad_request", fieldErrors: [{ field, issue: "invalid" }] });
			expect(local.requests).toHaveLength(1);
		},
	);

	test.each(EXCESSIVE_CHANGES)(
		"%s: %s is not sent if the profile has the limit, and is if its limit is larger",
		async (id, _title, changes, [field]) => {
			const large = Object.fromEntries(Object.keys(ASSUMED_LIMITS).map((name) => [name, 10_000_000]));
			await using local = createLocalGateway({ profile: { limits: large } });
			const strict = new MessagingGateway({ ...local.clientOptions, profile: { limits: ASSUMED_LIMITS } });
			expect(await errorOf(strict, id, changedInput(id, changes))).toMatchObject({
				code: "invalid_input",
				issues: [{ path: field }],
				outcome: "not_sent",
			});
			expect(local.requests).toHaveLength(0);
			const wide = new MessagingGateway({ ...local.clientOptions, profile: { limits: large } });
			const error = await errorOf(wide, id, changedInput(id, changes));
			const fieldErrors = error instanceof ApiError ? error.fieldErrors : [];
			expect(JSON.stringify(fieldErrors)).not.toContain("at most");
			expect(local.requests).toHaveLength(1);
		},
	);
});

test("as many attachments as are allowed, each as large as is allowed, fit in one request", () => {
	const { attachments, attachmentBytes } = ASSUMED_LIMITS;
	const encoded = attachments * Math.ceil(attachmentBytes / 3) * 4;
	expect(maxRequestBytes(ASSUMED_LIMITS)).toBeGreaterThan(encoded + 100_000);
});

test("the documented defaults are the assumed limits", () => {
	const documented = readMembers("src/library/catalogue/limits.ts", "Limits").map(({ name, byDefault }) => [
		name,
		Number(byDefault.replaceAll("_", "")),
	]);
	expect(Object.fromEntries(documented)).toEqual(ASSUMED_LIMITS);
});
