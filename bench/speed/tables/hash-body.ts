import { isDeepStrictEqual } from "node:util";
import { canonicalize } from "messaging-gateway/signing";
import { createMessage, createValue, TEXT_BODY } from "../inputs.ts";
import { loadPeer } from "../peers.ts";
import { prove } from "../prove.ts";
import type { Case, Contender, SpeedTable } from "../table.ts";

/** Canonical JSON of values of several sizes. */
export const table: SpeedTable = {
	title: "Canonical JSON",
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
		"messaging-gateway": canonicalize,
		canonicalize: peer,
		"json-canonicalize": jsonCanonicalize,
		"safe-stable-stringify": safeStableStringify,
	};
	const expected = canonicalize(value);
	prove(isDeepStrictEqual(JSON.parse(expected), value), "the canonical form holds the same value");
	for (const [writer, write] of Object.entries(writers)) {
		prove(write(value) === expected, `${writer} writes the same canonical form of ${name}`);
	}
	return {
		name,
		contenders: [
			...Object.entries(writers).map(
				([writer, write]): Contender => ({
					name: writer,
					role: write === canonicalize ? "ours" : "peer",
					run: () => useText(write(value)),
				}),
			),
			{ name: "JSON.stringify", role: "floor", run: () => useText(JSON.stringify(value)) },
		],
	};
}

/** Flattens a concatenated string, which engines keep in pieces until it is used; here all contenders pay for it. */
function useText(text: string): number {
	return Buffer.byteLength(text);
}
