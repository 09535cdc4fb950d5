import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { canonicalize, hashBody } from "messaging-gateway/signing";
import { createMessage, createValue, TEXT_BODY } from "../inputs.ts";
import { loadPeer } from "../peers.ts";
import { prove } from "../prove.ts";
import type { Case, Contender, SpeedTable } from "../table.ts";

/** From a value to the SHA-256 of its canonical bytes, which is what signing a body and checking a request need. */
export const table: SpeedTable = {
	title: "Value, canonical bytes, SHA-256",
	async *openCases() {
		yield await createCase("text, 163 B", TEXT_BODY);
		yield await createCase("webhook, 0.6 kB", await createMessage());
		yield await createCase("10 kB", await createValue(1e4));
		yield await createCase("100 kB", await createValue(1e5));
		yield await createCase("1 MB", await createValue(1e6));
	},
};

async function createCase(name: string, value: unknown): Promise<Case> {
	const { default: peer } = await loadPeer("canonicalize");
	const { canonicalize: jsonCanonicalize } = await loadPeer("json-canonicalize");
	const { default: safeStableStringify } = await loadPeer("safe-stable-stringify");
	const writers = {
		canonicalize: peer,
		"json-canonicalize": jsonCanonicalize,
		"safe-stable-stringify": safeStableStringify,
	};
	const expected = canonicalize(value);
	prove(isDeepStrictEqual(JSON.parse(expected), value), "the canonical form holds the same value");
	prove(hashBody(value) === hash(expected), "hashBody hashes the canonical form");
	for (const [writer, write] of Object.entries(writers)) {
		prove(write(value) === expected, `${writer} writes the same canonical form of ${name}`);
	}
	const peers = Object.entries(writers).map(
		([writer, write]): Contender => ({ name: writer, role: "peer", run: () => hash(write(value)) }),
	);
	return {
		name,
		contenders: [
			{ name: "messaging-gateway", role: "ours", run: () => hashBody(value) },
			...peers,
			{ name: "JSON.stringify", role: "floor", run: () => hash(JSON.stringify(value)) },
		],
	};
}

/** Makes the bytes, since those are what is sent, and hashes them. */
function hash(text: string): string {
	return createHash("sha256").update(Buffer.from(text)).digest("hex");
}
