import { type Limits, maxRequestBytes } from "../../catalogue/limits.ts";
import { readBody } from "../../local-gateway/incoming.ts";
import type { Routes } from "../../local-gateway/routes.ts";
import { type Clock, systemClock } from "../../runtime.ts";
import { constantTimeEqual, utf8 } from "../../signing/bytes.ts";
import type { ActionDone } from "../contract.ts";
import { ControlRejection } from "../control-rejection.ts";
import type { GatewayControl } from "../create-control.ts";
import { attachmentResponse } from "./attachment-response.ts";
import { openEventStream } from "./event-stream.ts";
import { foreignHost, hostOf, isAllowedHost } from "./hosts.ts";
import { controlResponse, jsonResponse, problemResponse } from "./responses.ts";

/** Who may use the control routes. */
export interface ControlRoutesOptions {
	/** The token of `Authorization: Bearer <token>`, a new one at each start. */
	readonly token: string;
	/** The names of this server, without a port; see `LOOPBACK_HOSTS`. */
	readonly hosts: readonly string[];
	/** @default the system clock */
	readonly clock?: Clock;
}

const PREFIX = "/_local/";

interface Route {
	readonly method: "GET" | "POST";
	readonly path: RegExp;
	readonly respond: (request: Request, parameter: string) => Response | Promise<Response>;
}

/** Serves the control of a gateway under `/_local/`, only for the gateway's own pages. */
export function createControlRoutes(control: GatewayControl, options: ControlRoutesOptions): Routes {
	const { token, hosts, clock = systemClock } = options;
	const expected = utf8(`Bearer ${token}`);
	const routes = listRoutes(control, clock);

	const respond = async (request: Request, pathname: string): Promise<Response> => {
		try {
			return checkAccess(request, { expected, hosts }) ?? (await findResponse(request, pathname, routes));
		} catch (error) {
			return errorResponse(error);
		}
	};
	return (request) => {
		const { pathname } = new URL(request.url);
		return pathname.startsWith(PREFIX) ? respond(request, pathname) : undefined;
	};
}

function listRoutes(control: GatewayControl, clock: Clock): Route[] {
	return [
		{
			method: "GET",
			path: /^\/_local\/stream$/,
			respond: () =>
				controlResponse(200, openEventStream(control, clock), { "Content-Type": "text/event-stream" }),
		},
		{
			method: "GET",
			path: /^\/_local\/snapshot$/,
			respond: () => jsonResponse(200, control.snapshot()),
		},
		{
			method: "GET",
			path: /^\/_local\/credentials$/,
			respond: () => jsonResponse(200, control.credentials()),
		},
		{
			method: "POST",
			path: /^\/_local\/actions$/,
			respond: async (request) => {
				const result = await control.act(await readJson(request, control.limits));
				const done: ActionDone = result === undefined ? { ok: true } : { ok: true, result };
				return jsonResponse(200, done);
			},
		},
		{
			method: "GET",
			path: /^\/_local\/attachments\/([\w-]+)$/,
			respond: (_request, id) => attachmentResponse(control.attachment(id)),
		},
		{
			method: "GET",
			path: /^\/_local\/test$/,
			respond: ({ url }) => {
				const key = new URL(url).searchParams.get("conversation") ?? "";
				return controlResponse(200, control.testSource(key), { "Content-Type": "text/plain; charset=utf-8" });
			},
		},
	];
}

/** The error response to a request without access; the clearest sign of another site is checked first. */
function checkAccess(
	request: Request,
	{ expected, hosts }: { readonly expected: Uint8Array; readonly hosts: readonly string[] },
): Response | undefined {
	if (!isAllowedHost(request, hosts)) return foreignHost();
	if (isFromElsewhere(request)) {
		return problemResponse("forbidden", "Only the gateway's own pages may use its control.");
	}
	if (constantTimeEqual(utf8(request.headers.get("Authorization") ?? ""), expected)) return undefined;
	return problemResponse(
		"unauthorized",
		"The token is missing or not that of this run: open the address that the command printed.",
		{ "WWW-Authenticate": "Bearer" },
	);
}

/** Another port of this machine is another origin, too. */
function isFromElsewhere(request: Request): boolean {
	const origin = request.headers.get("Origin");
	const site = request.headers.get("Sec-Fetch-Site") ?? "none";
	if (site !== "none" && site !== "same-origin") return true;
	if (origin === null) return false;
	return !URL.canParse(origin) || new URL(origin).host !== hostOf(request);
}

async function findResponse(request: Request, pathname: string, routes: readonly Route[]): Promise<Response> {
	const onPath = routes.filter(({ path }) => path.test(pathname));
	if (onPath.length === 0) throw new ControlRejection("not_found", "No control route has this path.");
	const route = onPath.find(({ method }) => method === request.method);
	if (route !== undefined) return route.respond(request, route.path.exec(pathname)?.[1] ?? "");
	const allow = onPath.map(({ method }) => method).join(", ");
	return problemResponse("method_not_allowed", `The route accepts ${allow}.`, { Allow: allow });
}

async function readJson(request: Request, limits: Limits): Promise<unknown> {
	const maxBytes = maxRequestBytes(limits);
	const body = await readBody(request.body, maxBytes);
	if (body === undefined)
		throw new ControlRejection("too_large", `The action is larger than ${maxBytes} bytes.`);
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
	} catch {
		throw new ControlRejection("invalid_action", "The body must be JSON.");
	}
}

function errorResponse(error: unknown): Response {
	if (error instanceof ControlRejection) {
		return problemResponse(error.code, error.message);
	}
	const kind = error instanceof Error ? error.name : typeof error;
	return problemResponse("internal", `The control of the gateway failed with ${kind}.`);
}
