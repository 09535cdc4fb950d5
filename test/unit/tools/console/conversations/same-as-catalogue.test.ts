import { expect, test } from "vitest";
import { REACTIONS } from "../../../../../src/library/catalogue/shared.ts";
import { REACTION_PATHS } from "../../../../../src/tools/console/conversations/timeline/reactions.tsx";

// The page repeats these values, because importing them would also bundle the schemas.

test("every known reaction has an icon", () => {
	expect([...REACTION_PATHS.keys()]).toEqual(REACTIONS);
});
