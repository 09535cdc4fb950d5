import { ConfigurationError } from "../errors.ts";
import { readField } from "./read-body.ts";
import type { WebhookResponse } from "./webhook-response.ts";

const FASTIFY = 'app.register(toFastify(webhooks), { prefix: "/webhooks" }), in Nest too';

/**
 * What only one framework passes to a route, as a path into it, and what belongs there. The first that fits counts, else
 * the last.
 */
const HOSTS = {
	addContentTypeParser: FASTIFY,
	"raw.httpVersion": FASTIFY,
	"req.raw.headers": "toHono(webhooks)",
	"node.req": "fromNodeMiddleware(toNode(webhooks)), or in h3 2 webhooks.fetch(event.req)",
	"req.headers.get": "webhooks.fetch(event.req)",
	"req.httpVersion": "toNode(webhooks)(ctx.req, ctx.res) after ctx.respond = false",
	"app.listen": "toExpress(webhooks)",
	httpVersion: "toNode(webhooks)",
	"request.bodyUsed": "webhooks.fetch",
	bodyUsed: "webhooks.fetch",
	requestContext: "webhooks.handle({ headers, body }) with the raw body",
};

type Path = keyof typeof HOSTS;

/** What shows which framework passes this; `undefined` if none does. */
function findPath(given: unknown): Path | undefined {
	const paths = Object.keys(HOSTS) as Path[];
	return paths.find((path) => readPath(given, path) !== undefined);
}

/**
 * Whether a function that takes one delivery was made a route itself: a framework passes more than one object, or one that
 * has the request and no body.
 */
export function isRoute(given: unknown, more: readonly unknown[]): boolean {
	// `map` passes an index.
	if (more.length > 0 && typeof more[0] !== "number")
		return more.some(isNodeResponse) || findPath(given) !== undefined;
	return readPath(given, "body") === undefined && /\breq(uest)?\b/.test(findPath(given) ?? "");
}

/** The part of a webhook handler that is used. */
type Handle = (delivery: {
	readonly method: string;
	headers: Record<string, never>;
	body: undefined;
}) => Promise<WebhookResponse>;

/** The part of a response of `node:http` that is used. */
interface WrittenResponse {
	writeHead(status: number, headers: Record<string, string>): unknown;
	end(body: string): unknown;
}

/**
 * Reports a route of another framework than its adapter's, before anything runs. The response is 500, so nothing is
 * acknowledged; one of Node is written, since a listener of Node has nobody to catch an error.
 * @param given - what the framework passed.
 * @throws ConfigurationError if there is no response of Node.
 */
export async function rejectHost(
	handle: Handle,
	adapter: string,
	...given: readonly unknown[]
): Promise<WebhookResponse> {
	const use = HOSTS[findPath(given[0]) ?? "requestContext"];
	const error = new ConfigurationError(`${adapter} doesn't fit this route: use ${use}`);
	const result = await reportError(handle, error);
	const response = given.find(isNodeResponse);
	if (response === undefined) throw error;
	response.writeHead(result.status, { ...result.headers });
	response.end(result.body);
	return result;
}

/** Lets the handler report an error of an adapter, as it reports a delivery that cannot be read. */
export function reportError(handle: Handle, error: ConfigurationError): Promise<WebhookResponse> {
	return handle({
		get method(): never {
			throw error;
		},
		headers: {},
		body: undefined,
	});
}

/** Whether a response is one of `node:http`, or of a framework built on it. */
export function isNodeResponse(response: unknown): response is WrittenResponse {
	return hasMethod(response, "writeHead") && hasMethod(response, "end");
}

/** Whether a request is one of the Fetch API. An event of h3 has its headers alone, and would look like a wrong signature. */
export function isFetchRequest(request: unknown): request is Request {
	// One whose getter throws is a delivery that cannot be read, and the handler says so.
	const isOne = (): boolean =>
		hasMethod(Object(request).headers, "get") && Object(request).bodyUsed !== undefined;
	return readField(isOne) !== false;
}

export function hasMethod(value: unknown, name: string): boolean {
	return typeof readPath(value, name) === "function";
}

/** The value at a path of names; `undefined` if one is missing, or a getter throws. */
function readPath(value: unknown, path: string): unknown {
	return readField(() =>
		path.split(".").reduce((found: unknown, name): unknown => Object(found)[name], value),
	);
}
