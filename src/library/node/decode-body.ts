import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import { loadBuiltin } from "../host.ts";

/** The content codings that are asked for. Brotli only over TLS, as Node's `fetch` does: what stands in between breaks it. */
export const ACCEPTED_CODINGS = { "http:": "gzip", "https:": "br, gzip" } as const;

/** As many as undici decodes: each may multiply the size of what follows. */
const MAX_CODINGS = 5;

/**
 * The body of a response without its content codings, decoded no faster than it is read: whoever reads it decides how many
 * decoded bytes there will be. What has an unknown coding stays as it is, as with `fetch`.
 */
export function decodeBody(response: IncomingMessage): Readable {
	const codings = response.headers["content-encoding"]?.toLowerCase().split(/[\s,]+/) ?? [];
	if (codings.length === 0 || codings.length > MAX_CODINGS) return response;
	// Loaded late: most responses are not encoded.
	const zlib = loadBuiltin<typeof import("node:zlib")>("node:zlib");
	// As browsers and Node's `fetch` do: what an encoder did not end is read all the same.
	const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
	const decoders: Transform[] = [];
	for (const coding of codings.reverse()) {
		// One decoder for both, since the first bytes say which it is.
		if (/^((x-)?gzip|deflate)$/.test(coding))
			decoders.push(zlib.createUnzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }));
		else if (coding === "br")
			decoders.push(
				zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }),
			);
		else if (coding !== "identity") return response;
	}
	const { pipeline } = loadBuiltin<typeof import("node:stream")>("node:stream");
	// A failure of one is that of the last, which is read; and whoever stops reading that one stops all.
	return decoders.reduce<Readable>((from, to) => pipeline(from, to, () => undefined), response);
}
