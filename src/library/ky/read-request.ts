import type { Profile } from "../catalogue/profile.ts";
import { type BaseUrl, type PreparedRequest, writeBody } from "../client/request.ts";
import { ConfigurationError, InputError } from "../errors.ts";
import { type Bytes, decodeUtf8 } from "../signing/bytes.ts";

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i;

/**
 * Reads a request into the parts that are signed and sent.
 * @throws ConfigurationError if its URL is not under the base URL, or its path is a URL itself.
 * @throws InputError if its Content-Type is JSON, and the body is not JSON or has no canonical form.
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
			"The request goes to another address than baseUrl, so it was neither signed nor sent",
		);
	}
	// ky puts the prefix before every string.
	if (/^\/+https?:/i.test(address.slice(base.href.length))) {
		throw new ConfigurationError(
			"The path is an absolute URL, so the request was neither signed nor sent: give the path below baseUrl",
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
	} catch (error) {
		if (error instanceof ConfigurationError) throw error;
		// The parser's own message would quote the body.
		throw new InputError(
			"Not sent: the Content-Type is JSON, but the body isn't. Pass the value as ky's option json, or change the Content-Type",
		);
	}
}
