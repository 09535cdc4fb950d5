import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import {
	type BuiltApp,
	buildFrameworkApp,
	createFrameworkProject,
	type FrameworkApp,
	HANDLER,
	OBSERVED_HANDLER,
} from "./support/framework-apps.ts";
import { type ReceiverCase, testReceiver } from "./support/receiver-suite.ts";

const READ_BEFORE = `
	await context.request.json();
	return webhooks.fetch(context);
`;

const APPS: readonly (FrameworkApp & {
	hint: string;
	drains?: boolean;
	unfinished?: ReceiverCase["unfinished"];
})[] = [
	{
		name: "sveltekit",
		sources: "src",
		build: ["node_modules/vite/bin/vite.js", "build"],
		start: ["build"],
		unfinished: "is broken off",
		hint: "pass the raw bytes",
		mistake: {
			"src/routes/mistaken/+server.ts": `
				import { webhooks } from "../../webhooks";
				export async function fallback(context) {${READ_BEFORE}}`,
		},
	},
	{
		name: "astro",
		sources: "src",
		build: ["node_modules/astro/bin/astro.mjs", "build"],
		start: ["dist/server/entry.mjs"],
		hint: "pass the raw bytes",
		mistake: {
			"src/pages/mistaken.ts": `
				import { webhooks } from "../webhooks";
				export async function ALL(context) {${READ_BEFORE}}`,
		},
	},
	{
		name: "react-router",
		sources: "app",
		build: ["node_modules/@react-router/dev/bin.cjs", "build"],
		start: ["node_modules/@react-router/serve/bin.cjs", "build/server/index.js"],
		unfinished: "is broken off",
		hint: "pass the raw bytes",
		mistake: {
			"app/routes.ts": `
				import { route } from "@react-router/dev/routes";
				export default [route("webhooks", "routes/webhooks.ts"), route("mistaken", "routes/mistaken.ts")];`,
			"app/routes/mistaken.ts": `
				import { webhooks } from "../webhooks";
				export async function action(context) {${READ_BEFORE}}`,
		},
	},
	{
		name: "tanstack-start",
		sources: "src",
		build: ["node_modules/vite/bin/vite.js", "build"],
		start: ["node_modules/srvx/bin/srvx.mjs", "--prod", "dist/server/server.js"],
		hint: "pass the raw bytes",
		mistake: {
			"src/routes/mistaken.ts": `
				import { createFileRoute } from "@tanstack/react-router";
				import { webhooks } from "../webhooks";
				export const Route = createFileRoute("/mistaken")({
					server: { handlers: { ANY: async (context) => {${READ_BEFORE}} } },
				});`,
		},
	},
	{
		name: "nuxt",
		sources: "server",
		build: ["node_modules/nuxt/bin/nuxt.mjs", "build"],
		start: [".output/server/index.mjs"],
		hint: "read before",
		drains: true,
		mistake: {
			"server/routes/mistaken.ts": `
				import { eventHandler, fromNodeMiddleware, readBody } from "h3";
				import { toNode } from "messaging-gateway/webhooks/node";
				import { webhooks } from "../webhooks";
				const receive = fromNodeMiddleware(toNode(webhooks));
				export default eventHandler(async (event) => {
					await readBody(event);
					return receive(event);
				});`,
		},
	},
	{
		name: "nestjs",
		sources: "src",
		build: ["node_modules/@nestjs/cli/bin/nest.js", "build"],
		start: ["dist/main.js"],
		hint: "rawBody: true",
		unfinished: "is read ahead",
		mistake: {
			"src/app.module.ts": `
				import { All, Controller, Module, Req, Res } from "@nestjs/common";
				import type { NodeRequest, NodeResponse } from "messaging-gateway/webhooks/express";
				import { WebhooksController } from "./webhooks.controller.js";
				// As it is in an application without rawBody.
				@Controller("mistaken")
				class MistakenController extends WebhooksController {
					@All()
					override receive(@Req() request: NodeRequest, @Res() response: NodeResponse) {
						return super.receive(Object.assign(request, { rawBody: undefined }), response);
					}
				}
				@Module({ controllers: [WebhooksController, MistakenController] })
				export class AppModule {}`,
		},
	},
];

const built: BuiltApp[] = [];

afterAll(() => {
	for (const app of built) app.remove();
});

for (const { hint, drains, unfinished, ...app } of APPS) {
	testReceiver(`${app.name}, built for production`, {
		hint,
		drains,
		unfinished,
		async start(environment) {
			const project = await buildFrameworkApp(app);
			built.push(project);
			const server = await project.start(environment);
			return { ...server, url: `${server.url}/webhooks`, mistakenUrl: `${server.url}/mistaken` };
		},
	});
}

test("the routes have the types that their frameworks ask for", async () => {
	const project = await createFrameworkProject();
	project.write("observed-handler.ts", OBSERVED_HANDLER);
	project.write("webhooks.ts", HANDLER);
	for (const path of ["nuxt/server/routes/webhooks.ts", "tanstack-start/src/routes/webhooks.ts"]) {
		const route = readFileSync(`test/frameworks/${path}`, "utf8");
		project.write(`${path.split("/")[0]}.ts`, route.replace('"../webhooks"', '"./webhooks"'));
	}
	project.write("types.ts", TYPES);
	const compilerOptions = { module: "esnext", moduleResolution: "bundler", noEmit: true };
	expect(await project.compile({ compilerOptions })).toBe("");
	project.remove();
});

/** What the frameworks check in an editor, or generate. */
const TYPES = `
	import type { RequestHandler } from "@sveltejs/kit";
	import type {} from "@tanstack/react-start";
	import type { APIRoute } from "astro";
	import type { H3Event } from "h3";
	import type { ActionFunctionArgs } from "react-router";
	import { webhooks } from "./webhooks";

	declare module "@tanstack/react-router" {
		interface FileRoutesByPath {
			"/webhooks": { id: "/webhooks"; path: "/webhooks"; fullPath: "/webhooks"; preLoaderRoute: unknown; parentRoute: any };
		}
	}
	export const sveltekit: RequestHandler = webhooks.fetch;
	export const astro: APIRoute = webhooks.fetch;
	export const reactRouter: (context: ActionFunctionArgs) => unknown = webhooks.fetch;
	// @ts-expect-error -- an event of Nuxt is no request
	export const nuxt: (event: H3Event) => unknown = webhooks.fetch;
`;
