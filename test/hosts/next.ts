import { readFileSync } from "node:fs";
import type { HostName } from "./matrix.ts";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

/** Next.js resolves names without an extension. */
const SOURCES = {
	"actions.ts": read("actions.ts").replaceAll('"./matrix.ts"', '"./matrix"'),
	"matrix.ts": read("matrix.ts"),
};

/** A place in an app of Next.js that runs the actions, when it gets the gateway's address and credentials as JSON. */
export interface NextHost {
	readonly name: HostName<"next-hosts.release">;
	readonly release: 15 | 16;
	readonly path: string;
	readonly files: Readonly<Record<string, string>>;
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
		name: "Route of Next.js",
		release: 16,
		path: "/in-node",
		files: { "app/in-node/route.ts": writeRoute("nodejs"), ...SOURCES },
	},
	{
		name: "Edge route of Next.js",
		release: 16,
		path: "/in-edge",
		files: { "app/in-edge/route.ts": writeRoute("edge"), ...SOURCES },
	},
	{
		name: "`middleware.ts` of Next.js",
		release: 15,
		path: "/in-middleware",
		files: { "middleware.ts": MIDDLEWARE, ...SOURCES },
	},
];

/** The files of all hosts of a release. */
export function filesOfHosts(release: NextHost["release"]): Record<string, string> {
	return Object.assign(
		{},
		...NEXT_HOSTS.filter((host) => host.release === release).map(({ files }) => files),
	);
}
