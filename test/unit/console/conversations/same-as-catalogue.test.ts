import { expect, test } from "vitest";
import { MAX_ATTACHMENT_BYTES } from "../../../../src/catalogue/attachment-limit.ts";
import { OPERATIONS } from "../../../../src/catalogue/index.ts";
import { REACTIONS } from "../../../../src/catalogue/shared.ts";
import { MAX_FILE_BYTES } from "../../../../src/console/conversations/encode-file.ts";
import { OPERATION_IDS } from "../../../../src/console/conversations/faults/operations.ts";
import { REACTION_PATHS } from "../../../../src/console/conversations/thread/reaction-paths.ts";

// The page repeats a few values, because importing them would also bundle the schemas.

test("a fault can be limited to every operation", () => {
	expect(OPERATION_IDS).toEqual(OPERATIONS.map(({ id }) => id));
});

test("an attachment may be as large as the gateway accepts", () => {
	expect(MAX_FILE_BYTES).toBe(MAX_ATTACHMENT_BYTES);
});

test("every known reaction has an icon", () => {
	expect([...REACTION_PATHS.keys()]).toEqual(REACTIONS);
});
