import type { Signer } from "messaging-gateway";
import { hmacSha256 } from "./node-crypto.ts";

/** A signer that gives every request the same nonce. */
export function repeatingSigner(appSecret: string): Signer {
	const nonce = "7d4f1c1e-7a51-4a52-9d2c-0b6f3d1e5a10";
	return ({ stringToSign, nonce: fresh }) => ({
		signature: hmacSha256(appSecret, stringToSign.replace(fresh, nonce)),
		nonce,
	});
}
