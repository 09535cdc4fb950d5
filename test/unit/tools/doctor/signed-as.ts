import type { SigningProfile } from "messaging-gateway";
import { signRequest } from "messaging-gateway/signing";
import { SECRET } from "../../../support/scripted-gateway.ts";

/** Whether a GET of a scripted gateway's client carries the signature of a form, by what the package signs itself. */
export function isSignedAs(url: string | URL, headers: Headers, signing: SigningProfile = {}): boolean {
	const unit = signing.timestamp === "seconds" ? 1000 : 1;
	const expected = signRequest({
		method: "GET",
		url,
		appId: "app-1",
		appSecret: SECRET,
		timestamp: Number(headers.get("X-Timestamp")) * unit,
		nonce: headers.get("X-Nonce") ?? "",
		profile: { signing },
	});
	return expected.headers.Authorization === headers.get("Authorization");
}
