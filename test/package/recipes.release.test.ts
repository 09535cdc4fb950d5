import { afterAll, beforeAll, expect, test } from "vitest";
import { createRecipeProject, type RecipeProject, readRecipes } from "../support/recipes.ts";

let project: RecipeProject;

beforeAll(async () => {
	project = await createRecipeProject();
});

afterAll(() => project?.remove());

test("the recipes compile in a user's project", () => {
	expect(project.compilerErrors).toBe("");
});

test("each recipe is one snippet, which the tests of test/integration/recipes run", () => {
	expect(readRecipes().map(({ name, snippets }) => `${name}: ${snippets.length}`)).toEqual([
		"a-proxy: 1",
		"connections: 1",
		"workers-and-their-bindings: 1",
		"nestjs: 1",
		"koa: 1",
		"aws-lambda: 1",
		"server-actions: 1",
		"tunnels: 1",
		"unknown-outcomes: 1",
	]);
});
