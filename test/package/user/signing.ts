import {
	canonicalize,
	memoryNonceStore,
	type SignedRequest,
	signRequest,
	verifyRequest,
} from "messaging-gateway/signing";

/** Signs a request, and verifies it as a gateway does. */
export async function signAndVerify(appSecret: string): Promise<string> {
	const url = "https://gateway.example/message/text";
	const body = { to: "+15551234567", text: "Hello" };
	const signed: SignedRequest = signRequest({ method: "POST", url, body, appId: "app-1", appSecret });
	const request = {
		method: signed.method,
		url,
		headers: new Headers({ ...signed.headers }),
		body: signed.body,
	};
	const { appId } = await verifyRequest(request, {
		secretFor: () => appSecret,
		nonceStore: memoryNonceStore(),
	});
	return `${appId} ${canonicalize(body)}`;
}

/** Sends the signed bytes. */
export function sendSigned(url: string, { method, headers, body }: SignedRequest): Promise<Response> {
	return fetch(url, { method, headers: { ...headers }, body: body ?? null });
}
