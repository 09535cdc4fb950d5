import { OPERATIONS } from "../../../library/catalogue/index.ts";
import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import { isMessagingGatewayError } from "../../../library/errors.ts";
import { MessagingGateway } from "../../../library/messaging-gateway.ts";
import { createAdjustableClock } from "../../local-gateway/adjustable-clock.ts";
import { createLocalGateway } from "../../local-gateway/create-local-gateway.ts";
import type { LocalGateway } from "../../local-gateway/local-gateway.ts";
import type { Settings } from "../../local-gateway/settings.ts";
import type { HandledRequest } from "../../local-gateway/traffic.ts";
import { ControlRejection } from "../control-rejection.ts";
import { literal, objectLiteral } from "./literals.ts";
import { writeSetUp } from "./write-set-up.ts";

/** A call of the client's `request`. */
interface Call {
	readonly method: HttpMethod;
	readonly path: string;
	readonly options: {
		readonly query?: Readonly<Record<string, string | readonly string[]>>;
		readonly body?: unknown;
		readonly signed?: boolean;
	};
}

/** What a call ended with: a status and, if it was rejected, the error's code. */
interface Result {
	readonly status: number | undefined;
	readonly code: string | undefined;
}

const METHODS: readonly HttpMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The call is also tried after an equal one, since it may have been rejected as a duplicate. */
const TIMES = [1, 2] as const;

/**
 * Writes a request as a vitest test that passes: the same call on a new gateway has the same result.
 *
 * @throws ControlRejection when it has another result, because it depends on what happened before.
 */
export async function writeRequestTest(request: HandledRequest, settings: Settings): Promise<string> {
	const call = toCall(request, settings);
	const expected = { status: request.status, code: codeOf(request) };
	const results: Result[] = [];
	for (const times of TIMES) {
		const result = await rehearse(call, times, settings);
		if (isSame(result, expected)) return writeTest(call, { ...result, times }, settings);
		results.push(result);
	}
	throw new ControlRejection(
		"rejected",
		`On a new gateway this call ends with ${describe(results[0])} instead of ${describe(expected)}: ` +
			"it depends on what happened before. Copy its conversation as a test instead.",
	);
}

function toCall(request: HandledRequest, { basePath }: Settings): Call {
	const { path, query, body, operationId, signature } = request;
	if (signature === "rejected") throw untestable("its signature was rejected, and a client signs correctly");
	const operation = OPERATIONS.find(({ id }) => id === operationId);
	if (operation?.hasEnvelope === false) {
		throw untestable("its response has no envelope, which `request()` needs");
	}
	const method = METHODS.find((known) => known === request.method);
	if (method === undefined) throw untestable("the client has no such method");
	const search = new URLSearchParams(query);
	const names = [...new Set(search.keys())];
	const values = names.map((name) => [name, search.getAll(name)] as const);
	return {
		method,
		path: path.slice(basePath.length),
		options: {
			...(names.length === 0 ? {} : { query: Object.fromEntries(values) }),
			...(body === "" ? {} : { body: parseBody(body) }),
			...(operation?.isSigned === false ? { signed: false } : {}),
		},
	};
}

function parseBody(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		throw untestable("its body is not JSON, which a client always sends");
	}
}

function untestable(reason: string): ControlRejection {
	return new ControlRejection("rejected", `A test cannot make this call again: ${reason}.`);
}

async function rehearse(call: Call, times: number, settings: Settings): Promise<Result> {
	await using local = createRehearsalGateway(settings);
	const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0, logLevel: "off" });
	let result: Result = { status: undefined, code: undefined };
	for (let time = 0; time < times; time++) {
		const error = await gateway.request(call.method, call.path, call.options).then(
			() => undefined,
			(reason: unknown) => reason,
		);
		const code = isMessagingGatewayError(error) && "gatewayCode" in error ? error.gatewayCode : undefined;
		result = {
			status: local.requests.at(-1)?.status,
			code: typeof code === "string" ? code : undefined,
		};
	}
	return result;
}

function createRehearsalGateway({ agents, rules, delays }: Settings): LocalGateway {
	const { windowSeconds, ...choices } = rules;
	return createLocalGateway({
		clock: createAdjustableClock({ frozen: true }),
		agents,
		rules: { duplicateWindowSeconds: windowSeconds, ...choices },
		delays,
		deliverTo: () => new Response(),
	});
}

function codeOf({ status = 0, responseBody }: HandledRequest): string | undefined {
	if (status < 400) return undefined;
	try {
		const { error } = JSON.parse(responseBody ?? "");
		return typeof error.code === "string" ? error.code : undefined;
	} catch {
		return undefined;
	}
}

function isSame(left: Result, right: Result): boolean {
	return left.status === right.status && left.code === right.code;
}

function describe({ status, code }: Result = { status: undefined, code: undefined }): string {
	return [status ?? "no response", code].filter((part) => part !== undefined).join(" ");
}

function writeTest(
	{ method, path, options }: Call,
	{ status, code, times }: Result & { readonly times: number },
	settings: Settings,
): string {
	const { query, body, signed } = options;
	const input = objectLiteral([
		["query", query && literal(query)],
		["body", "body" in options ? literal(body) : undefined],
		["signed", signed === undefined ? undefined : literal(signed)],
	]);
	const args = [literal(method), literal(path), ...(input === "{}" ? [] : [input])].join(", ");
	const error = objectLiteral([
		["status", literal(status)],
		["gatewayCode", code && literal(code)],
	]);
	const end =
		code === undefined ? ["await call();"] : [`await expect(call()).rejects.toMatchObject(${error});`];
	const title = `${method} ${path} ends with ${describe({ status, code })}`;
	return [
		"// A request to the local gateway, written down by its console.",
		'import { MessagingGateway } from "messaging-gateway";',
		'import { createAdjustableClock, createLocalGateway } from "messaging-gateway/testing";',
		'import { expect, test } from "vitest";',
		"",
		`test(${literal(title)}, async () => {`,
		...[
			...writeSetUp(settings),
			`const call = () => gateway.request(${args});`,
			...Array.from({ length: times - 1 }, () => "await call();"),
			...end,
			`expect(local.requests.at(-1)?.status).toBe(${status});`,
		].map((line) => `\t${line}`),
		"});",
		"",
	].join("\n");
}
