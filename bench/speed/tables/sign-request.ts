import { createHash, createHmac, randomUUID } from "node:crypto";
import { memoryNonceStore, signRequest, verifyRequest } from "messaging-gateway/signing";
import { createValue, TEXT_BODY } from "../inputs.ts";
import { loadPeer } from "../peers.ts";
import { prove, rejects } from "../prove.ts";
import type { Case, SpeedTable } from "../table.ts";

const APP_ID = "app-1";
const SECRET = "a-secret-of-32-characters-length";
const PATH = "/message/text";
const HOST = "gateway.example";
const URL_TO_SIGN = `https://${HOST}${PATH}`;

/** A signed request: the headers of the signature, and the signed bytes. */
interface Signed {
	readonly headers: object;
	readonly body: string | Uint8Array | undefined;
}

/** Signing a request, including the serialisation of its body. */
export const table: SpeedTable = {
	title: "Signing a request",
	async *openCases() {
		yield await createCase("text, 163 B", TEXT_BODY);
		yield await createCase("10 kB", await createValue(1e4));
	},
};

async function createCase(name: string, body: unknown): Promise<Case> {
	const { default: canonicalize } = await loadPeer("canonicalize");
	const signOurs = (): Signed =>
		signRequest({ method: "POST", url: URL_TO_SIGN, body, appId: APP_ID, appSecret: SECRET });
	const signByHand = (write: (value: unknown) => string) => (): Signed => {
		// What is sent are bytes, which have to be made once.
		const bytes = Buffer.from(write(body));
		const bodyHash = createHash("sha256").update(bytes).digest("hex");
		const timestamp = Date.now();
		const nonce = randomUUID();
		const toSign = `POST\n${PATH}\n${bodyHash}\n${timestamp}\n${nonce}`;
		const signature = createHmac("sha256", SECRET).update(toSign).digest("hex");
		return {
			headers: {
				"X-App-Id": APP_ID,
				"X-Timestamp": String(timestamp),
				"X-Nonce": nonce,
				Authorization: `HMAC ${signature}`,
			},
			body: bytes,
		};
	};
	const signWithCanonicalize = signByHand(canonicalize);
	const signBare = signByHand(JSON.stringify);
	await proveAccepted("messaging-gateway", signOurs, "rfc8785");
	await proveAccepted("canonicalize + node:crypto", signWithCanonicalize, "rfc8785");
	await proveAccepted("JSON.stringify + node:crypto", signBare, "json");
	const signSmithy = await createSmithy();
	const signAws4Fetch = await createAws4Fetch();
	await proveSigned("@smithy/signature-v4", signSmithy);
	await proveSigned("aws4fetch", signAws4Fetch);
	return {
		name,
		contenders: [
			{ name: "messaging-gateway", role: "ours", run: signOurs },
			{ name: "canonicalize + node:crypto", role: "peer", run: signWithCanonicalize },
			{ name: "@smithy/signature-v4", role: "peer", run: () => signSmithy(JSON.stringify(body)) },
			{ name: "aws4fetch", role: "peer", run: () => signAws4Fetch(JSON.stringify(body)) },
			{ name: "JSON.stringify + node:crypto", role: "floor", run: signBare },
		],
	};
}

/** Signs a string like AWS, and returns the header with the signature. */
type SignForAws = (text: string) => Promise<string | null | undefined>;

async function createSmithy(): Promise<SignForAws> {
	const { SignatureV4 } = await loadPeer("@smithy/signature-v4");
	const { Sha256 } = await loadPeer("@aws-crypto/sha256-js");
	const credentials = { accessKeyId: APP_ID, secretAccessKey: SECRET };
	const signer = new SignatureV4({ credentials, region: "us-east-1", service: "gateway", sha256: Sha256 });
	return async (text) => {
		const { headers } = await signer.sign({
			method: "POST",
			protocol: "https:",
			hostname: HOST,
			path: PATH,
			query: {},
			headers: { host: HOST, "content-type": "application/json" },
			body: text,
		});
		return headers["authorization"];
	};
}

async function createAws4Fetch(): Promise<SignForAws> {
	const { AwsV4Signer } = await loadPeer("aws4fetch");
	/** Keeps the derived keys, as its client does. */
	const cache = new Map();
	return async (text) => {
		const { headers } = await new AwsV4Signer({
			method: "POST",
			url: URL_TO_SIGN,
			headers: { "content-type": "application/json" },
			body: text,
			accessKeyId: APP_ID,
			secretAccessKey: SECRET,
			region: "us-east-1",
			service: "gateway",
			cache,
		}).sign();
		return headers.get("authorization");
	};
}

/** @param canonicalBody - the form of the body: the floor does not sort its keys. */
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

async function proveSigned(name: string, sign: SignForAws): Promise<void> {
	const isSigned = (header: unknown) => /^AWS4-HMAC-SHA256 .*Signature=[0-9a-f]{64}$/.test(String(header));
	const [one, other] = [await sign("{}"), await sign("[]")];
	prove(isSigned(one) && isSigned(other), `${name} signs`);
	prove(one !== other, `${name} signs the body`);
}
