import {
	type PreparedRequest,
	prepareRequest,
	readBaseUrl,
	writePath,
} from "../../../../library/client/request.ts";
import { isMessagingGatewayError } from "../../../../library/errors.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { RequestContent } from "../form/read-draft.ts";

/** The request that the client would make, before signing, or why it cannot be made. */
export type Preparation = PreparedRequest | { readonly problem: string };

/** Prepares a request with the client's functions: the same path, query and canonical bytes. */
export function prepare(operation: ApiOperation, content: RequestContent, baseUrl: string): Preparation {
	const { method, path: pathTemplate } = operation;
	const { params, query, body } = content;
	try {
		const path = writePath(pathTemplate, params);
		const base = readBaseUrl(baseUrl);
		return prepareRequest({ method, pathTemplate, path, params, query, body }, base, undefined);
	} catch (error) {
		if (isMessagingGatewayError(error)) return { problem: error.message };
		return { problem: "The base URL must be an absolute URL, such as http://localhost:8080." };
	}
}
