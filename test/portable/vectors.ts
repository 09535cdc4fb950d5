import { readdirSync, readFileSync } from "node:fs";
import signatures from "../vectors/signatures.json" with { type: "json" };

const FOLDER = new URL("../vectors/", import.meta.url);

/** A request and its signature (specification, section 5.1). */
export interface RequestVector {
	readonly title: string;
	readonly method: string;
	readonly path: string;
	readonly appSecret: string;
	readonly timestamp: number;
	readonly nonce: string;
	/** The body as a value, and as the string that is sent; absent if there is none. */
	readonly value?: unknown;
	readonly body?: string;
	readonly bodyHash: string;
	readonly authorization: string;
}

/** A delivery and its signature (specification, section 6.1). */
export type WebhookVector = (typeof signatures)["webhooks"][number];

/** The literal vectors of `test/vectors`, as data: the same in every runtime. */
export interface Vectors {
	/** The JSON of published documents, as it is and in canonical form. */
	readonly documents: readonly { readonly name: string; readonly input: string; readonly output: string }[];
	/** The bits of numbers in hex, and their canonical string; `null` for those that have none. */
	readonly numbers: readonly { readonly ieee754: string; readonly expect: string | null }[];
	readonly requests: readonly RequestVector[];
	readonly webhooks: readonly WebhookVector[];
}

/** Reads the vectors from their files. */
export function readVectors(): Vectors {
	const documents = readdirSync(new URL("input/", FOLDER)).map((name) => ({
		name,
		input: readText(`input/${name}`),
		output: readText(`output/${name}`),
	}));
	const { tests: numbers } = JSON.parse(readText("rfc8785_appendix_b.json"));
	return { documents, numbers, requests: signatures.requests, webhooks: signatures.webhooks };
}

function readText(path: string): string {
	return readFileSync(new URL(path, FOLDER), "utf8");
}
