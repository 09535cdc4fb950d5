import { UnusableResponse } from "../client/response-head.ts";
import { collectBytes } from "../signing/byte-stream.ts";
import { type Bytes, utf8 } from "../signing/bytes.ts";

/** The bytes of a body, or why there are none. */
export type CollectedBody =
	| { readonly bytes: Bytes }
	| { readonly problem: "too_large" }
	| { readonly problem: "broken"; readonly error: unknown };

/** Reads a response's body, and stops at the limit. Never rejects. */
export async function readBody(response: Response, maxBytes: number): Promise<CollectedBody> {
	const { body } = response;
	if (body === null) return { bytes: new Uint8Array() };
	if (typeof body?.getReader !== "function") return readText(response, maxBytes);
	const collected = await collectBytes(body, maxBytes);
	if ("bytes" in collected) return { bytes: new Uint8Array(collected.bytes) };
	if ("error" in collected) return collected;
	if (collected.problem === "too_large") return { problem: "too_large" };
	return { problem: "broken", error: new UnusableResponse("its body is no stream of bytes") };
}

/** Some libraries' responses have no stream of the web, and can only be read whole. */
async function readText(response: Response, maxBytes: number): Promise<CollectedBody> {
	try {
		const bytes = utf8(await response.text());
		return bytes.length > maxBytes ? { problem: "too_large" } : { bytes };
	} catch (error) {
		return { problem: "broken", error };
	}
}
