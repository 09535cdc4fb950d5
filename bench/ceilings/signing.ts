import * as crypto from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
	canonicalize,
	hashBody,
	memoryNonceStore,
	signRequest,
	verifyRequest,
} from "messaging-gateway/signing";
import { type Case, type OpenCases, prove, rejects } from "../cases.ts";
import { createHandSigner } from "../hand-signer.ts";
import { createValue, SECRET, TEXT_BODY } from "../inputs.ts";
import { loadPeer } from "../peers/load.ts";

/** From a value to the SHA-256 of its canonical bytes, which is what signing a body and checking a request need. */
export const openHashBody: OpenCases = async function* () {
	yield await hashCase("text, 163 B", TEXT_BODY);
	yield await hashCase("10 kB", await createValue(1e4));
};

async function hashCase(name: string, value: unknown): Promise<Case> {
	const { default: canonicalizeOf } = await loadPeer("canonicalize");
	const expected = canonicalize(value);
	prove(isDeepStrictEqual(JSON.parse(expected), value), "the canonical form holds the same value");
	prove(hashBody(value) === hash(expected), "hashBody hashes the canonical form");
	prove(canonicalizeOf(value) === expected, `canonicalize writes the same canonical form of ${name}`);
	return {
		name,
		contenders: [
			{ name: "messaging-gateway", role: "ours", run: () => hashBody(value) },
			{ name: "canonicalize", role: "peer", run: () => hash(canonicalizeOf(value)) },
			{ name: "JSON.stringify", role: "floor", run: () => hash(JSON.stringify(value)) },
		],
	};
}

/** Makes the bytes, since those are what is sent, and hashes them. */
function hash(text: string): string {
	return crypto.createHash("sha256").update(Buffer.from(text)).digest("hex");
}

const APP_ID = "app-1";
const URL_TO_SIGN = "https://gateway.example/message/text";

/** Signing a request, including the serialisation of its body. */
export const openSignRequest: OpenCases = async function* () {
	yield await signCase("text, 163 B", TEXT_BODY);
};

/** A signed request: the headers of the signature, and the signed bytes. */
interface Signed {
	readonly headers: object;
	readonly body: string | Uint8Array | undefined;
}

async function signCase(name: string, body: unknown): Promise<Case> {
	const { default: canonicalizeOf } = await loadPeer("canonicalize");
	const signByHand = createHandSigner(crypto);
	const byHand = (write: (value: unknown) => string) => (): Signed => {
		// What is sent are bytes, which have to be made once.
		const bytes = Buffer.from(write(body));
		return { headers: signByHand(bytes), body: bytes };
	};
	const ours = () =>
		signRequest({ method: "POST", url: URL_TO_SIGN, body, appId: APP_ID, appSecret: SECRET });
	const signers = [
		["messaging-gateway", "ours", ours],
		["canonicalize + node:crypto", "peer", byHand(canonicalizeOf)],
		["JSON.stringify + node:crypto", "floor", byHand(JSON.stringify)],
	] as const;
	for (const [signer, role, run] of signers) {
		// The floor does not sort keys.
		await proveAccepted(signer, run, role === "floor" ? "json" : "rfc8785");
	}
	return { name, contenders: signers.map(([signer, role, run]) => ({ name: signer, role, run })) };
}

async function proveAccepted(
	name: string,
	sign: () => Signed,
	canonicalBody: "rfc8785" | "json",
): Promise<void> {
	const { headers, body } = sign();
	const verify = (bytes: Uint8Array) =>
		verifyRequest(
			{ method: "POST", url: URL_TO_SIGN, headers: new Headers({ ...headers }), body: bytes },
			{ secretFor: () => SECRET, nonceStore: memoryNonceStore(), profile: { signing: { canonicalBody } } },
		);
	const bytes = new Uint8Array(Buffer.from(body ?? ""));
	prove((await verify(bytes)).appId === APP_ID, `${name} signs as the gateway checks`);
	prove(await rejects(() => verify(bytes.with(0, 0x20))), `${name}: another body is rejected`);
}
