import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import * as scripts from "../../../../src/library/stores/redis-scripts.ts";

test.each(Object.entries(scripts))("%s has the SHA-1 of its text", (_name, { text, sha1 }) => {
	expect(sha1).toBe(createHash("sha1").update(text).digest("hex"));
});
