import { type InputParts, readFields } from "../../local-gateway/decode-input.ts";
import { maxRequestBytes, readBody } from "../../local-gateway/incoming.ts";
import { RequestRejection } from "../../local-gateway/request-rejection.ts";
import type { RouteMatch } from "../../local-gateway/router.ts";
import { checkInput, type InvalidInput } from "../check-input.ts";
import { ControlRejection } from "../control-rejection.ts";
import type { GatewayControl } from "../create-control.ts";
import type { ControlOperation } from "../operations.ts";
import type { ControlContract, ControlOperationId } from "../routes.ts";

/**
 * Reads the input of an operation from the request; an empty parameter of the query counts as absent.
 * @throws ControlRejection when it is invalid or too large.
 */
export async function readInput<Id extends ControlOperationId>(
	{ input, method }: ControlOperation<Id>,
	request: Request,
	match: Pick<RouteMatch, "parameters">,
	{ limits, profile }: Pick<GatewayControl, "limits" | "profile">,
): Promise<ControlContract[Id]["input"]> {
	const code = method === "GET" ? "invalid_query" : "invalid_action";
	const maxBytes = maxRequestBytes(limits);
	const body = await readBody(method === "GET" ? null : request.body, maxBytes);
	if (body === undefined)
		throw new ControlRejection("too_large", `The action is larger than ${maxBytes} bytes.`);
	const given = [...new URL(request.url).searchParams].filter(([, value]) => value !== "");
	return checkInput(input, decode({ match, query: new URLSearchParams(given), body }, code), code, profile);
}

function decode(parts: InputParts, code: InvalidInput): object {
	try {
		return readFields(parts);
	} catch (error) {
		if (!(error instanceof RequestRejection)) throw error;
		const rule = code === "invalid_action" ? "The body must be a JSON object." : "The path must be UTF-8.";
		throw new ControlRejection(code, rule);
	}
}
