/** Signs a request of a generated client. With a profile, pass it to `signRequest` as well. */
import { signRequest } from "messaging-gateway/signing";

const { MESSAGING_GATEWAY_APP_ID: appId = "", MESSAGING_GATEWAY_APP_SECRET: appSecret = "" } = process.env;

/** Signs a request, and sends exactly the bytes that were signed. */
export async function signedFetch(request: Request): Promise<Response> {
	const text = await request.text();
	const signed = signRequest({
		method: request.method,
		url: request.url,
		body: text === "" ? undefined : JSON.parse(text),
		appId,
		appSecret,
	});
	return fetch(request.url, {
		method: signed.method,
		headers: { ...signed.headers },
		body: signed.body ?? null,
		redirect: "manual", // a redirect would carry the signature to another address
		signal: request.signal,
	});
}
