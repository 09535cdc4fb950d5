import { OPERATIONS } from "../../library/catalogue/index.ts";
import type { GatewaySettings } from "../local-gateway/settings.ts";
import type { HandledRequest } from "../local-gateway/traffic.ts";
import { ControlRejection } from "./control-rejection.ts";
import { parseJson } from "./parse-json.ts";
import type { LoggedRequest } from "./request-log.ts";
import { writeLiteral } from "./write-literal.ts";

/** The methods of the client. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Writes a request as a vitest test, without running it: the same call on a new gateway, with the result that was
 * recorded. A comment says to set up first what that result depends on.
 *
 * @throws ControlRejection when a client cannot make this call.
 */
export function writeRequestTest({ request, view }: LoggedRequest, { basePath }: GatewaySettings): string {
	const { method, status, fault } = request;
	const path = request.path.slice(basePath.length);
	const code = view.error?.code;
	const result = [status ?? "no response", code].filter((part) => part !== undefined).join(" ");
	const options = optionsOf(request);
	const args = [method, path, ...(Object.keys(options).length === 0 ? [] : [options])];
	const isAccepted = status !== undefined && status < 300 && fault === undefined;
	const rejects =
		code === undefined ? "toThrow()" : `toMatchObject({ gatewayCode: ${JSON.stringify(code)} })`;
	const lines = [
		"const local = createLocalGateway();",
		"onTestFinished(() => local.close());",
		"const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });",
		`const call = () => gateway.request(${args.map((arg) => writeLiteral(arg, "  ")).join(", ")});`,
		"// The gateway is new: first set up what the result depends on, such as an agent or an earlier message.",
		...(fault === undefined ? [] : [writeFault(fault, status)]),
		...(code === "DUPLICATE_MESSAGE" && fault === undefined ? ["await call();"] : []),
		isAccepted ? "await call();" : `await expect(call()).rejects.${rejects};`,
		`expect(local.requests.at(-1)?.status).toBe(${status});`,
	];
	return `// A request to the local gateway, written down by its console.
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { expect, onTestFinished, test } from "vitest";

test(${JSON.stringify(`${method} ${path} ends with ${result}`)}, async () => {
${lines.map((line) => `  ${line}\n`).join("")}});
`;
}

/** The line that injects a fault. A broken connection or response is one of several: the reader chooses. */
function writeFault(fault: NonNullable<HandledRequest["fault"]>, status: number | undefined): string {
	if (fault === "respond") return `local.faults.respond({ status: ${status} });`;
	if (fault === "drop") return 'local.faults.dropConnection({ when: "after" }); // or "before"';
	return 'local.faults.corrupt({ as: "html" }); // or "truncated", "empty"';
}

/** The options of the client's `request`, as far as this call needs them. */
function optionsOf({ method, query, body, operationId, signature }: HandledRequest): object {
	const operation = OPERATIONS.find(({ id }) => id === operationId);
	if (signature === "rejected") throw untestable("its signature was rejected, and a client signs correctly");
	if (operation?.hasEnvelope === false)
		throw untestable("its response has no envelope, which `request()` needs");
	if (!METHODS.includes(method)) throw untestable("the client has no such method");
	const search = new URLSearchParams(query);
	const values = Array.from(search.keys(), (name) => [name, search.getAll(name)] as const);
	return {
		...(values.length === 0 ? {} : { query: Object.fromEntries(values) }),
		...(body === "" ? {} : { body: parseBody(body) }),
	};
}

function parseBody(body: string): unknown {
	const parsed = parseJson(body);
	if (parsed === undefined) throw untestable("its body isn't JSON, which a client always sends");
	return parsed;
}

function untestable(reason: string): ControlRejection {
	return new ControlRejection("rejected", `A test can't make this call again: ${reason}.`);
}
