import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { CONSOLE_FILES_PATH, CONSOLE_PAGES, PAGE_POLICY, renderPage } from "../../console/page.ts";
import type { Routes } from "../../local-gateway/routes.ts";
import { PACKAGE_FOLDER } from "../version.ts";

/** The built pages. */
export const PAGE_FILES = new URL("dist/console/", PACKAGE_FOLDER);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
	".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
};

const HEADERS: Readonly<Record<string, string>> = {
	"Cache-Control": "no-store",
	"Cross-Origin-Opener-Policy": "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy": "no-referrer",
	"X-Content-Type-Options": "nosniff",
};

/** Serves the console's pages, their files, and the OpenAPI document that the API page shows. */
export function createPageRoutes(openApiDocument: string): Routes {
	return (request) => {
		const { pathname } = new URL(request.url);
		if (request.method !== "GET" && request.method !== "HEAD") return undefined;
		const page = CONSOLE_PAGES[pathname];
		if (page !== undefined) {
			return respond(renderPage(page), "text/html; charset=utf-8", {
				"Content-Security-Policy": PAGE_POLICY,
			});
		}
		if (pathname === "/openapi.json") return respond(openApiDocument, "application/json");
		if (pathname.startsWith(CONSOLE_FILES_PATH))
			return respondWithFile(pathname.slice(CONSOLE_FILES_PATH.length));
		return undefined;
	};
}

/** Serves a file of the folder. Only plain file names are accepted, never paths. */
async function respondWithFile(name: string): Promise<Response> {
	const mediaType = MEDIA_TYPES[extname(name)];
	if (mediaType === undefined || !/^[\w-]+\.\w+$/.test(name)) return notFound();
	try {
		return await respond(readFileSync(new URL(name, PAGE_FILES), "utf8"), mediaType);
	} catch {
		return notFound();
	}
}

async function respond(
	body: string,
	mediaType: string,
	headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
	return new Response(body, { headers: { ...HEADERS, ...headers, "Content-Type": mediaType } });
}

function notFound(): Response {
	return new Response("File not found.\n", { status: 404, headers: HEADERS });
}
