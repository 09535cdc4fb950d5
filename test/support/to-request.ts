export const URL_OF_APP = "https://app.example/webhooks";

/** A delivery as a Fetch API request. */
export function toRequest(delivery: {
	body: string | Uint8Array | ReadableStream | null;
	headers: Record<string, string> | Headers;
}): Request {
	const { body, headers } = delivery;
	const init = { method: "POST", body: body as BodyInit | null, headers, duplex: "half" };
	return new Request(URL_OF_APP, init);
}
