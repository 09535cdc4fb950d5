import { type Limits, maxRequestBytes } from "../../../library/catalogue/limits.ts";
import { type Clock, systemClock } from "../../../library/runtime.ts";
import { constantTimeEqual, utf8 } from "../../../library/signing/bytes.ts";
import { readBody } from "../../local-gateway/incoming.ts";
import type { Routes } from "../../local-gateway/routes.ts";
import type { PageQuery } from "../contract.ts";
import { ControlRejection } from "../control-rejection.ts";
import type { GatewayControl } from "../create-control.ts";
import { attachmentResponse } from "./attachment-response.ts";
import {
	CONTROL_ROUTES,
	type ControlResults,
	type ControlRoute,
	type ControlRouteId,
} from "./control-routes.ts";
import { openEventStream } from "./event-stream.ts";
import { foreignHost, hostOf, isAllowedHost } from "./hosts.ts";
import { parsePageQuery } from "./parse-page-query.ts";
import { controlResponse, jsonResponse, problemResponse, textResponse } from "./responses.ts";

/** Who may use the control routes. */
export interface ControlRoutesOptions {
	/** The token of `Authorization: Bearer <token>`. */
	readonly token: string;
	/** The names of this server, without a port; see `LOOPBACK_HOSTS`. */
	readonly hosts: readonly string[];
	/** @default the system clock */
	readonly clock?: Clock;
	/** Describes the routes as OpenAPI. @default there is no description */
	readonly describe?: () => Promise<object>;
}

/** How many streams of changes may be open at once. Each holds a snapshot and what its reader has not read. */
export const MAX_STREAMS = 100;

const PREFIX = "/_local/";

/** Responds to a request, with a parameter of its path; what is no response is sent as JSON. */
type Responder<Result> = (request: Request, parameter: string) => Result | Promise<Result>;

type Responders = {
	readonly [Id in ControlRouteId]: Responder<Id extends keyof ControlResults ? ControlResults[Id] : Response>;
};

interface Route {
	readonly method: ControlRoute["method"];
	readonly path: RegExp;
	readonly respond: Responder<unknown>;
}

/** Serves the control of a gateway under `/_local/`, only for the gateway's own pages. */
export function createControlRoutes(control: GatewayControl, options: ControlRoutesOptions): Routes {
	const { token, hosts } = options;
	const expected = utf8(`Bearer ${token}`);
	const routes = listRoutes(createResponders(control, options));

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

function createResponders(
	control: GatewayControl,
	{ clock = systemClock, describe }: ControlRoutesOptions,
): Responders {
	let streams = 0;
	const openStream = (): Response => {
		if (streams === MAX_STREAMS) {
			const message = `${MAX_STREAMS} streams are open: close pages and programs that watch this gateway.`;
			throw new ControlRejection("too_many_streams", message);
		}
		streams += 1;
		const body = openEventStream(control, clock, () => {
			streams -= 1;
		});
		return controlResponse(200, body, { "Content-Type": "text/event-stream" });
	};
	return {
		listMessages: (request) => control.messages(queryOf(request)),
		listDeliveries: (request) => control.deliveries(queryOf(request)),
		listRequests: (request) => control.requests(queryOf(request)),
		getRequest: (_request, id) => control.request(id),
		getRequestTest: async (_request, id) => textResponse(await control.requestTest(id)),
		async act(request) {
			const result = await control.act(await readJson(request, control.limits));
			return result === undefined ? { ok: true } : { ok: true, result };
		},
		getClock: () => control.time(),
		getFaults: () => control.faults(),
		getCredentials: () => control.credentials(),
		getAttachment: (_request, id) => attachmentResponse(control.attachment(id)),
		async getConversationTest({ url }) {
			const key = new URL(url).searchParams.get("conversation") ?? "";
			return textResponse(await control.testSource(key));
		},
		getSnapshot: () => control.snapshot(),
		streamChanges: openStream,
		async getOpenApiDocument() {
			if (describe === undefined) throw new ControlRejection("not_found", "These routes are not described.");
			return jsonResponse(200, await describe());
		},
	};
}

function listRoutes(responders: Responders): Route[] {
	return CONTROL_ROUTES.map(({ id, method, path }) => ({
		method,
		path: toPattern(path),
		respond: responders[id],
	}));
}

function toPattern(path: ControlRoute["path"]): RegExp {
	return new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/, "([\\w-]+)")}$`);
}

function queryOf({ url }: Request): PageQuery {
	return parsePageQuery(new URL(url).searchParams);
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
		"The token is missing or wrong: open the link that the command printed.",
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
	if (route !== undefined) {
		const result = await route.respond(request, route.path.exec(pathname)?.[1] ?? "");
		return result instanceof Response ? result : jsonResponse(200, result);
	}
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
