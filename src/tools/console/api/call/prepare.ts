import {
	type PreparedRequest,
	prepareRequest,
	readBaseUrl,
	writePath,
} from "../../../../library/client/request.ts";
import { isMessagingGatewayError } from "../../../../library/errors.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { DraftReading } from "../form/draft.ts";
import type { RequestContent } from "../form/read-request.ts";

/** The gateway's URL and the credentials that sign calls. It is kept in memory only. */
export interface Connection {
	readonly baseUrl: string;
	readonly appId: string;
	readonly appSecret: string;
}

/** The request that the client would make, before signing, or why it cannot be made. */
export type Preparation = PreparedRequest | { readonly problem: string };

/** Prepares a request with the client's functions: the same path, query and canonical bytes. */
export function prepare(operation: ApiOperation, content: RequestContent, baseUrl: string): Preparation {
	try {
		return writeRequest(operation, content, readBaseUrl(baseUrl));
	} catch (error) {
		if (isMessagingGatewayError(error)) return { problem: error.message };
		return { problem: "The base URL must be an absolute URL, such as http://localhost:8080." };
	}
}

/** @throws MessagingGatewayError if the content cannot be written. */
export function writeRequest(
	{ method, path: pathTemplate }: Pick<ApiOperation, "method" | "path">,
	{ params, query, body }: RequestContent,
	base: ReturnType<typeof readBaseUrl>,
): PreparedRequest {
	const path = writePath(pathTemplate, params);
	return prepareRequest({ method, pathTemplate, path, params, query, body }, base, undefined);
}

/** Explains why the request cannot be sent, in a sentence; `undefined` if it can. */
export function findObstacle(
	{ isSigned }: ApiOperation,
	{ appId, appSecret }: Connection,
	{ problems }: DraftReading,
	preparation: Preparation | undefined,
): string | undefined {
	if (preparation === undefined) {
		const [key, problem] = Object.entries(problems)[0] ?? [];
		return key === undefined ? "The form is incomplete." : `${key.slice(key.indexOf(".") + 1)} ${problem}.`;
	}
	if ("problem" in preparation)
		return preparation.problem.charAt(0).toUpperCase() + preparation.problem.slice(1);
	if (isSigned && appId === "") return "The App ID is missing.";
	if (isSigned && appSecret === "") return "The App Secret is missing. It signs the call.";
	return undefined;
}
