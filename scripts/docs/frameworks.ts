/** The route of webhooks in each framework. What is said of an app or a page is read from it. */
import { readFileSync } from "node:fs";

/** A framework or platform, and the route in it. */
interface Framework {
	/** Its name, as Markdown. */
	readonly name: string;
	/** The route's file, where the framework prescribes it. */
	readonly file?: string;
	readonly route: string;
	/** A file that has the route, and is tested; without one, a test starts the runtime with the handler's own function. */
	readonly source?: string;
	readonly store: string;
	/** What was tested, and the package whose version counts. */
	readonly tested: string;
	readonly package: string;
}

const SERVERS = "[Redis](stores.md#redis), [PostgreSQL](stores.md#postgresql)";
const SQLITE = "stores.md#d1-durable-objects-libsql-and-bun";
const AT_THE_EDGE = `${SERVERS}; on Workers [D1](${SQLITE})`;
const PAGES = "docs/frameworks";
const APPS = "test/frameworks";

const FRAMEWORKS: readonly Framework[] = [
	{
		name: "[Express](frameworks/express.md)",
		route: 'app.all("/webhooks", toExpress(webhooks))',
		source: `${PAGES}/express.md`,
		store: SERVERS,
		tested: "run",
		package: "express",
	},
	{
		name: "[Express](frameworks/express.md) 4",
		route: 'app.all("/webhooks", toExpress(webhooks))',
		source: `${APPS}/hosts/express-4.js`,
		store: SERVERS,
		tested: "run",
		package: "express-4",
	},
	{
		name: "[Fastify](frameworks/fastify.md)",
		route: 'app.register(toFastify(webhooks), { prefix: "/webhooks" })',
		source: `${PAGES}/fastify.md`,
		store: SERVERS,
		tested: "run",
		package: "fastify",
	},
	{
		name: "[Hono](frameworks/hono.md)",
		route: 'app.all("/webhooks", toHono(webhooks))',
		source: `${PAGES}/hono.md`,
		store: AT_THE_EDGE,
		tested: "run",
		package: "hono",
	},
	{
		name: "[node:http](frameworks/node.md)",
		route: "createServer(toNode(webhooks))",
		source: `${PAGES}/node.md`,
		store: SERVERS,
		tested: "run",
		package: "node",
	},
	{
		name: "[Koa](frameworks/node.md#koa)",
		route: "return receive(ctx.req, ctx.res)",
		source: `${PAGES}/node.md`,
		store: SERVERS,
		tested: "run",
		package: "koa",
	},
	{
		name: "[Nest](frameworks/nest.md)",
		file: "src/webhooks.controller.ts",
		route: "return receive(request, response)",
		source: `${APPS}/nestjs/src/webhooks.controller.ts`,
		store: SERVERS,
		tested: "built, run",
		package: "@nestjs/core",
	},
	{
		name: "[Nest](frameworks/nest.md#nest-on-fastify) on Fastify",
		file: "src/main.ts",
		route: 'app.register(toFastify(webhooks), { prefix: "/webhooks" })',
		source: `${APPS}/hosts/nest-on-fastify.js`,
		store: SERVERS,
		tested: "run",
		package: "@nestjs/platform-fastify",
	},
	{
		name: "[Next.js](frameworks/next.md), App Router",
		file: "app/webhooks/route.ts",
		route: "export const POST = webhooks.fetch; export const PUT = webhooks.fetch",
		source: `${PAGES}/next.md`,
		store: SERVERS,
		tested: "built, run",
		package: "next",
	},
	{
		name: "[Next.js](frameworks/next.md#the-pages-router), Pages Router",
		file: "pages/api/webhooks.ts",
		route: "export default toNode(webhooks)",
		source: `${PAGES}/next.md`,
		store: SERVERS,
		tested: "built, run",
		package: "next",
	},
	{
		name: "[SvelteKit](frameworks/others.md#sveltekit-astro-react-router-tanstack-start)",
		file: "src/routes/webhooks/+server.ts",
		route: "export const fallback = webhooks.fetch",
		source: `${APPS}/sveltekit/src/routes/webhooks/+server.ts`,
		store: AT_THE_EDGE,
		tested: "built, run",
		package: "@sveltejs/kit",
	},
	{
		name: "[Astro](frameworks/others.md#sveltekit-astro-react-router-tanstack-start)",
		file: "src/pages/webhooks.ts",
		route: "export const ALL = webhooks.fetch",
		source: `${APPS}/astro/src/pages/webhooks.ts`,
		store: AT_THE_EDGE,
		tested: "built, run",
		package: "astro",
	},
	{
		name: "[React Router](frameworks/others.md#sveltekit-astro-react-router-tanstack-start)",
		file: "app/routes/webhooks.ts",
		route: "export const action = webhooks.fetch",
		source: `${APPS}/react-router/app/routes/webhooks.ts`,
		store: AT_THE_EDGE,
		tested: "built, run",
		package: "react-router",
	},
	{
		name: "[TanStack Start](frameworks/others.md#sveltekit-astro-react-router-tanstack-start)",
		file: "src/routes/webhooks.ts",
		route:
			'export const Route = createFileRoute("/webhooks")({ server: { handlers: { ANY: webhooks.fetch } } })',
		source: `${APPS}/tanstack-start/src/routes/webhooks.ts`,
		store: AT_THE_EDGE,
		tested: "built, run",
		package: "@tanstack/react-start",
	},
	{
		name: "[Nuxt](frameworks/others.md#nuxt), Nitro 2",
		file: "server/routes/webhooks.ts",
		route: "export default fromNodeMiddleware(toNode(webhooks))",
		source: `${APPS}/nuxt/server/routes/webhooks.ts`,
		store: AT_THE_EDGE,
		tested: "built, run",
		package: "nuxt",
	},
	{
		name: "[AWS Lambda](frameworks/lambda.md), function URL",
		route: 'body: isBase64Encoded ? Buffer.from(body, "base64") : body',
		source: `${PAGES}/lambda.md`,
		store: "[DynamoDB](stores.md#dynamodb)",
		tested: "given events in Node",
		package: "node",
	},
	{
		name: "[Supabase](frameworks/others.md#supabase)",
		file: "supabase/functions/webhooks/index.ts",
		route: "Deno.serve(webhooks.fetch)",
		store: "[PostgreSQL](stores.md#postgresql), through its pooler",
		tested: "run in Deno",
		package: "deno",
	},
	{
		name: "[Deno](frameworks/node.md), Deno Deploy",
		route: "Deno.serve(webhooks.fetch)",
		store: SERVERS,
		tested: "run in Deno",
		package: "deno",
	},
	{
		name: "[Cloudflare Workers](frameworks/workers.md)",
		file: "src/index.ts",
		route: "return webhooks.fetch(request, env, context)",
		source: `${PAGES}/workers.md`,
		store: `[D1, a Durable Object](${SQLITE})`,
		tested: "run in Miniflare",
		package: "miniflare",
	},
	{
		name: "[Bun](frameworks/node.md)",
		route: "Bun.serve({ fetch: webhooks.fetch })",
		store: `[its SQLite](${SQLITE}) on one machine; ${SERVERS}`,
		tested: "run",
		package: "bun",
	},
];

/** The rows of the guide's table: framework, file, route, store and test. */
export function listFrameworks(): string[][] {
	return FRAMEWORKS.map((framework) => {
		const { name, file, route, source, store, tested } = framework;
		if (source !== undefined && !squeeze(readCode(source)).includes(squeeze(route)))
			throw new Error(`${source} has no ${route}: the guide must show what is tested`);
		return [
			name,
			file === undefined ? "" : `\`${file}\``,
			`\`${route}\``,
			store,
			`${tested}: ${findVersion(framework.package)}`,
		];
	});
}

/** A route of an app as a block of code, with the handler beside it. */
export function showRoute(path: string): string {
	return `\`\`\`ts\n${indentWithSpaces(readFileSync(`${APPS}/${path}`, "utf8"))}\`\`\`\n`;
}

/** The code of a file; of a guide, its blocks. */
function readCode(path: string): string {
	const text = readFileSync(path, "utf8");
	return path.endsWith(".md") ? (text.match(/^```ts\n[\s\S]*?^```$/gm) ?? []).join("\n") : text;
}

/** Without what a formatter adds. */
function squeeze(code: string): string {
	return code.replace(/\s|,(?=\s*[)}\]])/g, "");
}

function indentWithSpaces(code: string): string {
	return code.replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length));
}

function findVersion(name: string): string {
	for (const folder of [".", APPS, "test/versions"]) {
		const { dependencies = {}, devDependencies = {} } = JSON.parse(
			readFileSync(`${folder}/package.json`, "utf8"),
		);
		const version: unknown = devDependencies[name] ?? dependencies[name];
		// One beside another has its own name: `npm:express@4.22.3`.
		if (typeof version === "string") return version.replace(/^npm:.*@/, "");
	}
	throw new Error(`no test installs ${name}`);
}
