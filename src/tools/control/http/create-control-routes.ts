import { type Clock, systemClock } from "../../../library/runtime.ts";
import { constantTimeEqual, utf8 } from "../../../library/signing/bytes.ts";
import { createRouter, type RouteMatch } from "../../local-gateway/router.ts";
import type { Routes } from "../../local-gateway/routes.ts";
import { ControlRejection } from "../control-rejection.ts";
import type { GatewayControl } from "../create-control.ts";
import { CONTROL_OPERATIONS, type ControlOperation } from "../operations.ts";
import type { ControlContract, ControlOperationId } from "../routes.ts";
import { attachmentResponse } from "./attachment-response.ts";
import { openEventStream } from "./event-stream.ts";
import { foreignHost, hostOf, isAllowedHost } from "./hosts.ts";
import { readInput } from "./read-input.ts";
import { controlResponse, jsonResponse, problemResponse, textResponse } from "./responses.ts";

/** Who may use the control routes. */
export interface ControlRoutesOptions {
	/** The token of `Authorization: Bearer <token>`. */
	readonly token: string;
	/** The names of this server, without a port; see `LOOPBACK_HOSTS`. */
	readonly hosts: readonly string[];
	/** @default the system clock */
	readonly clock?: Clock;
}

/** How many streams of changes may be open at once. Each holds a snapshot and what its reader has not read. */
export const MAX_STREAMS = 100;

const PREFIX = "/_local/";

/** Responds to the operation's input; a value is sent as JSON. */
type Responders = {
	readonly [Id in ControlOperationId]: (
		input: ControlContract[Id]["input"],
	) => ControlContract[Id]["data"] | Promise<ControlContract[Id]["data"]>;
};

const findRoute = createRouter(
	Object.values(CONTROL_OPERATIONS).map((operation) => ({ operation, ...operation })),
	"",
);

/** Serves the control of a gateway under `/_local/`, only for the gateway's own pages. */
export function createControlRoutes(control: GatewayControl, options: ControlRoutesOptions): Routes {
	const { token, hosts } = options;
	const expected = utf8(`Bearer ${token}`);
	const responders = createResponders(control, options);

	const respond = async (request: Request, pathname: string): Promise<Response> => {
		try {
			return checkAccess(request, { expected, hosts }) ?? (await carryOut(request, pathname));
		} catch (error) {
			return errorResponse(error);
		}
	};
	const carryOut = async (request: Request, pathname: string): Promise<Response> => {
		const { match, methods } = findRoute(request.method, pathname);
		if (match !== undefined) return runOperation(match.operation, request, match);
		if (methods.length === 0) throw new ControlRejection("not_found", "No control route has this path.");
		const allow = methods.join(", ");
		return problemResponse("method_not_allowed", `The route accepts ${allow}.`, { Allow: allow });
	};
	const runOperation = async <Id extends ControlOperationId>(
		operation: ControlOperation<Id>,
		request: Request,
		match: Pick<RouteMatch, "parameters">,
	): Promise<Response> => {
		const input = await readInput(operation, request, match, control);
		const result: unknown = await responders[operation.id](input);
		return result instanceof Response ? result : jsonResponse(200, result);
	};
	return (request) => {
		const { pathname } = new URL(request.url);
		return pathname.startsWith(PREFIX) ? respond(request, pathname) : undefined;
	};
}

function createResponders(
	control: GatewayControl,
	{ clock = systemClock }: ControlRoutesOptions,
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
		listMessages: (query) => control.messages(query),
		listDeliveries: (query) => control.deliveries(query),
		listRequests: (query) => control.requests(query),
		getRequest: ({ id }) => control.request(id),
		getRequestTest: ({ id }) => textResponse(control.requestTest(id)),
		async act(action) {
			const result = await control.perform(action);
			return result === undefined ? { ok: true } : { ok: true, result };
		},
		getClock: () => control.time(),
		getFaults: () => control.faults(),
		getCredentials: () => control.credentials(),
		getAttachment: ({ id }) => attachmentResponse(control.attachment(id)),
		getSnapshot: () => control.snapshot(),
		streamChanges: openStream,
	};
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

function errorResponse(error: unknown): Response {
	if (error instanceof ControlRejection) {
		return problemResponse(error.code, error.message);
	}
	const kind = error instanceof Error ? error.name : typeof error;
	return problemResponse("internal", `The control of the gateway failed with ${kind}.`);
}
