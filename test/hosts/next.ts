import { readFileSync } from "node:fs";
import type { Cells } from "./actions.ts";
import { WORKS } from "./expected.ts";

const ACTIONS = readFileSync(new URL("actions.ts", import.meta.url), "utf8");

/** A place in an app of Next.js that runs the actions, when it gets the gateway's address and credentials as JSON. */
export interface NextHost {
	readonly name: string;
	readonly release: 15 | 16;
	readonly path: string;
	readonly files: Readonly<Record<string, string>>;
	readonly cells: Cells;
}

const MIDDLEWARE = `
import { NextResponse, type NextRequest } from "next/server";
import { runActions } from "./actions";
export const config = { matcher: "/in-middleware" };
export async function middleware(request: NextRequest) {
	return NextResponse.json(await runActions(await request.json()));
}`;

/** A route handler. */
function writeRoute(runtime: "nodejs" | "edge"): string {
	return `
import { runActions } from "../../actions";
export const runtime = "${runtime}";
export async function POST(request: Request): Promise<Response> {
	return Response.json(await runActions(await request.json()));
}`;
}

export const NEXT_HOSTS: readonly NextHost[] = [
	{
		name: "Next.js 16, a Node route",
		release: 16,
		path: "/in-node",
		files: { "app/in-node/route.ts": writeRoute("nodejs"), "actions.ts": ACTIONS },
		cells: WORKS,
	},
	{
		name: "Next.js 16, an edge route",
		release: 16,
		path: "/in-edge",
		files: { "app/in-edge/route.ts": writeRoute("edge"), "actions.ts": ACTIONS },
		cells: WORKS,
	},
	{
		name: "Next.js 15, middleware.ts",
		release: 15,
		path: "/in-middleware",
		files: { "middleware.ts": MIDDLEWARE, "actions.ts": ACTIONS },
		cells: WORKS,
	},
];

/** The files of all hosts of a release. */
export function filesOfHosts(release: NextHost["release"]): Record<string, string> {
	return Object.assign(
		{},
		...NEXT_HOSTS.filter((host) => host.release === release).map(({ files }) => files),
	);
}
