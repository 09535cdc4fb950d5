/** The credentials of everything that is sent here. */
export const CREDENTIALS = { appId: "app-1", appSecret: "a-secret-of-32-characters-length" } as const;

/** Signs a POST of a text as one would by hand, with the runtime's own functions. */
export function createHandSigner({ createHash, createHmac, randomUUID }: typeof import("node:crypto")) {
	return (body: string | Uint8Array): Record<string, string> => {
		const bodyHash = createHash("sha256").update(body).digest("hex");
		const timestamp = Date.now();
		const nonce = randomUUID();
		const toSign = `POST\n/message/text\n${bodyHash}\n${timestamp}\n${nonce}`;
		return {
			"X-App-Id": CREDENTIALS.appId,
			"X-Timestamp": String(timestamp),
			"X-Nonce": nonce,
			Authorization: `HMAC ${createHmac("sha256", CREDENTIALS.appSecret).update(toSign).digest("hex")}`,
		};
	};
}
