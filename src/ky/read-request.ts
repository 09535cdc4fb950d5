import type { Profile } from "../catalogue/profile.ts";
import { type BaseUrl, type PreparedRequest, writeBody } from "../client/request.ts";
import { ConfigurationError, InputError } from "../errors.ts";
import { type Bytes, decodeUtf8 } from "../signing/bytes.ts";

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;

/**
 * What will be signed and sent of a request.
 * @throws ConfigurationError when it goes anywhere but under the base address.
 * @throws InputError when its body is announced as JSON and has no canonical form.
 */
export async function readRequest(
	request: Request,
	base: BaseUrl,
	profile: Profile | undefined,
): Promise<PreparedRequest> {
	const parsedUrl = new URL(request.url);
	parsedUrl.hash = "";
	const address = parsedUrl.origin + parsedUrl.pathname;
	if (address !== base.href && !address.startsWith(`${base.href}/`)) {
		throw new ConfigurationError(
			"the request goes to another address than baseUrl, so it was neither signed nor sent",
		);
	}
	const given = new Uint8Array(await request.arrayBuffer());
	const isJson = JSON_TYPE.test(request.headers.get("Content-Type") ?? "");
	const body = isJson && given.length > 0 ? writeBody(parseJson(given), profile) : given;
	return {
		method: request.method,
		url: parsedUrl.href,
		base,
		parsedUrl,
		body: given.length === 0 ? undefined : body,
	};
}

function parseJson(bytes: Bytes): unknown {
	try {
		return JSON.parse(decodeUtf8(bytes));
	} catch {
		// The parser's own words repeat the body.
		throw new InputError("the body is announced as JSON, and is none");
	}
}
