import { OPERATIONS } from "../../../library/catalogue/index.ts";
import type { HttpMethod } from "../../../library/catalogue/operation.ts";
import type { Settings } from "../../local-gateway/settings.ts";
import type { HandledRequest } from "../../local-gateway/traffic.ts";
import { ControlRejection } from "../control-rejection.ts";
import { parseJson } from "../parse-json.ts";
import type { LoggedRequest } from "../request-log.ts";
import { literal } from "./literals.ts";
import { gatewayCodeOf, Rehearsal } from "./rehearsal.ts";

/** The arguments of the client's `request`. */
interface Input {
	readonly method: HttpMethod;
	readonly path: string;
	readonly options: {
		readonly query?: Readonly<Record<string, string | readonly string[]>>;
		readonly body?: unknown;
		readonly signed?: boolean;
	};
}

const METHODS: readonly HttpMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The call is also tried after an equal one, since it may have been rejected as a duplicate. */
const TIMES = [1, 2] as const;

/**
 * Writes a request as a vitest test that passes: the same call on a new gateway has the same result.
 *
 * @throws ControlRejection when it has another result, because it depends on what happened before.
 */
export async function writeRequestTest(
	{ request, view }: LoggedRequest,
	settings: Settings,
): Promise<string> {
	const { method, path, options } = toInput(request, settings);
	const expected = describe(view.status, view.error?.code);
	const args = [method, path, options].map((arg) => literal(arg)).filter((arg) => arg !== "{}");
	const results: string[] = [];
	for (const times of TIMES) {
		await using rehearsal = new Rehearsal(settings);
		const call = { source: "call()", run: () => rehearsal.gateway.request(method, path, options) };
		const calls: Awaited<ReturnType<Rehearsal["perform"]>>[] = [];
		while (calls.length < times) calls.push(await rehearsal.perform(call));
		const status = rehearsal.local.requests.at(-1)?.status;
		const result = describe(status, gatewayCodeOf(calls.at(-1)?.error));
		if (result === expected) {
			return rehearsal.writeFile("A request to", `${method} ${path} ends with ${result}`, [
				`const call = () => gateway.request(${args.join(", ")});`,
				...calls.map(({ line }) => line),
				`expect(local.requests.at(-1)?.status).toBe(${status});`,
			]);
		}
		results.push(result);
	}
	throw new ControlRejection(
		"rejected",
		`On a new gateway this call ends with ${results[0]} instead of ${expected}: ` +
			"it depends on what happened before. Copy its conversation as a test instead.",
	);
}

function toInput(request: HandledRequest, { basePath }: Settings): Input {
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
	const parsed = parseJson(body);
	if (parsed === undefined) throw untestable("its body is not JSON, which a client always sends");
	return parsed;
}

function untestable(reason: string): ControlRejection {
	return new ControlRejection("rejected", `A test cannot make this call again: ${reason}.`);
}

function describe(status: number | undefined, code: string | undefined): string {
	return [status ?? "no response", code].filter((part) => part !== undefined).join(" ");
}
