import { expect, test } from "vitest";
import { OPERATIONS } from "../../../../../src/library/catalogue/index.ts";
import { REACTIONS } from "../../../../../src/library/catalogue/shared.ts";
import { OPERATION_IDS } from "../../../../../src/tools/console/conversations/faults/operations.ts";
import { REACTION_PATHS } from "../../../../../src/tools/console/conversations/thread/reaction-paths.ts";

// The page repeats a few values, because importing them would also bundle the schemas.

test("a fault can be limited to every operation", () => {
	expect(OPERATION_IDS).toEqual(OPERATIONS.map(({ id }) => id));
});

test("every known reaction has an icon", () => {
	expect([...REACTION_PATHS.keys()]).toEqual(REACTIONS);
});
