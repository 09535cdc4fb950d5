import { expect, test } from "vitest";
import { MAX_ATTACHMENT_BYTES } from "../../../../src/catalogue/attachment-limit.ts";
import { OPERATIONS } from "../../../../src/catalogue/index.ts";
import { REACTIONS } from "../../../../src/catalogue/shared.ts";
import { MAX_FILE_BYTES } from "../../../../src/console/conversations/encode-file.ts";
import { OPERATION_IDS } from "../../../../src/console/conversations/faults/operations.ts";
import { REACTION_PATHS } from "../../../../src/console/conversations/thread/reaction-paths.ts";

// The page repeats a few facts, since their declarations would bring the schemas along.

test("the operations that a fault can be limited to are all there are", () => {
	expect(OPERATION_IDS).toEqual(OPERATIONS.map(({ id }) => id));
});

test("an attachment may be as large as the gateway takes", () => {
	expect(MAX_FILE_BYTES).toBe(MAX_ATTACHMENT_BYTES);
});

test("every known reaction has a drawing", () => {
	expect([...REACTION_PATHS.keys()]).toEqual(REACTIONS);
});
