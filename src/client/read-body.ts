import { collectBytes } from "../signing/byte-stream.ts";
import { utf8 } from "../signing/bytes.ts";
import { type ResponseHead, UnusableResponse } from "./response-head.ts";

/** The bytes of a response's body, or why there are none. */
export type ReadBody =
	| { readonly bytes: Uint8Array }
	| { readonly problem: "too_large" }
	| { readonly problem: "broken"; readonly error: unknown };

/**
 * Reads the body of a response, and stops at the limit. Never rejects.
 * @param signal - ends the transfer; the body is then `"broken"`.
 */
export async function readBody(
	response: Response,
	{ headers }: ResponseHead,
	maxBytes: number,
	signal?: AbortSignal,
): Promise<ReadBody> {
	const { body } = response;
	if (body === null) return { bytes: new Uint8Array() };
	// Some libraries' responses have no stream of the web, and can only be read whole.
	if (typeof body?.getReader !== "function") {
		try {
			const text: unknown = await response.text();
			if (typeof text !== "string") throw new UnusableResponse("its text() did not resolve to a string");
			const bytes = utf8(text);
			return bytes.length > maxBytes ? { problem: "too_large" } : { bytes };
		} catch (error) {
			return { problem: "broken", error };
		}
	}
	const announcedBytes = Number(headers.get("Content-Length"));
	const collected = await collectBytes(body, maxBytes, { announcedBytes, signal });
	if ("bytes" in collected || "error" in collected) return collected;
	if (collected.problem === "too_large") return { problem: "too_large" };
	return { problem: "broken", error: new UnusableResponse("its body is not a stream of bytes") };
}
