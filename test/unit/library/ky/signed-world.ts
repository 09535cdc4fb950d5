import { inspect } from "node:util";
import type { KyInstance } from "ky";
import { type SignedKyOptions, signedKy } from "messaging-gateway/ky";
import { expect } from "vitest";
import {
	type ReceivedRequest,
	type Respond,
	startServer,
	type TestServer,
} from "../../../support/http-server.ts";
import { hmacSha256, sha256 } from "../../../support/node-crypto.ts";

export const APP_SECRET = "a-secret-that-stays-here";

/** A server with the steps, and an instance that signs for it, which waits almost nothing between retries. */
export async function startSignedWorld(
	steps: readonly Respond[],
	{ path = "", ...options }: SignedKyOptions & { path?: string } = {},
): Promise<{ server: TestServer; api: KyInstance } & AsyncDisposable> {
	const server = await startServer(...steps);
	const credentials = options.signer === undefined ? { appSecret: APP_SECRET } : {};
	const api = signedKy({ baseUrl: server.url + path, appId: "app-1", ...credentials, ...options });
	return {
		server,
		api: api.extend({ retry: { delay: () => 1 } }),
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}

/** That a request is signed over the very bytes and the path that the server got. */
export function expectSigned(request: ReceivedRequest | undefined, appSecret = APP_SECRET): void {
	if (request === undefined) throw new Error("there is no request");
	const { method, target, headers, body } = request;
	const { "x-timestamp": timestamp, "x-nonce": nonce } = headers;
	const [path] = target.split("?");
	const signed = [method, path, sha256(body), timestamp, nonce].join("\n");
	expect(headers["x-app-id"]).toBe("app-1");
	expect(headers.authorization).toBe(`HMAC ${hmacSha256(appSecret, signed)}`);
}

/** Everything that anyone could print of an error. */
export function printed(error: unknown): string {
	const { stack, cause } = error as Error;
	return [inspect(error, { depth: 10 }), JSON.stringify(error), String(error), stack, inspect(cause)].join(
		"\n",
	);
}
