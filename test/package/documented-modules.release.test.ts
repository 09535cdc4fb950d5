import { afterAll, beforeAll, expect, test } from "vitest";
import { createModuleProject, type ModuleProject } from "../support/documented-modules.ts";

let project: ModuleProject;

beforeAll(async () => {
	project = await createModuleProject();
});

afterAll(() => project?.remove());

test("the modules that test/integration/documented-*.release.test.ts run compile in a user's project", () => {
	expect(project.compilerErrors).toBe("");
});
