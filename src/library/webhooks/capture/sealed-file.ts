import { ConfigurationError } from "../../errors.ts";
import { hostLacks, randomBytes, webCrypto } from "../../host.ts";
import { type Bytes, viewBytes } from "../../signing/bytes.ts";
import { CaptureError } from "./capture-error.ts";

/**
 * A file: "MGCAPT", a zero, the version, the length of the plain text as 32 bits, a nonce of 12 bytes, and AES-256-GCM (NIST
 * SP 800-38D) over the plain text, with everything before the nonce authenticated.
 */
const MAGIC = /* @__PURE__ */ Uint8Array.from("MGCAPT\0", (character) => character.charCodeAt(0));
const VERSION = 1;
const LENGTH_AT = MAGIC.length + 1;
const NONCE_AT = LENGTH_AT + 4;
const TEXT_AT = NONCE_AT + 12;
const TAG_LENGTH = 16;

const KEY_LENGTH = 32;

/**
 * The bytes of a key: 32, or their base64.
 * @throws ConfigurationError for anything else.
 */
export function readKey(key: string | Uint8Array): Bytes {
	const bytes = typeof key === "string" ? decodeBase64(key.trim()) : viewBytes(key);
	if (bytes?.length === KEY_LENGTH) return Uint8Array.from(bytes);
	throw new ConfigurationError(
		"key must be 32 bytes, or their base64, as `openssl rand -base64 32` prints it",
	);
}

function decodeBase64(text: string): Uint8Array | undefined {
	try {
		return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
	} catch {
		return undefined;
	}
}

/**
 * Encrypts a plain text under a random nonce.
 * @throws ConfigurationError if the host has no Web Crypto, or one that does not encrypt.
 */
export async function sealFile(key: Bytes, plain: Bytes): Promise<Uint8Array> {
	const file = new Uint8Array(TEXT_AT + plain.length + TAG_LENGTH);
	file.set(MAGIC);
	file[MAGIC.length] = VERSION;
	new DataView(file.buffer).setUint32(LENGTH_AT, plain.length);
	file.set(randomBytes(TEXT_AT - NONCE_AT), NONCE_AT);
	const { algorithm, cryptoKey } = await prepare(key, file, "encrypt");
	const sealed = new Uint8Array(await webCrypto().encrypt(algorithm, cryptoKey, plain));
	// A host that returns what it got would write the payload as it is.
	if (sealed.length !== plain.length + TAG_LENGTH) throw hostLacks("crypto.subtle that works");
	file.set(sealed, TEXT_AT);
	return file;
}

/**
 * Decrypts a file.
 * @throws CaptureError (`not_a_capture`, `unsupported_version`, `truncated`, `undecryptable`).
 */
export async function openFile(key: Bytes, given: Uint8Array): Promise<Uint8Array> {
	const file = Uint8Array.from(given);
	if (MAGIC.some((byte, at) => at < file.length && file[at] !== byte))
		throw new CaptureError(
			"not_a_capture",
			"this is no file of a captured failure: give one that `captureFailures` wrote",
		);
	if (file.length < TEXT_AT) throw truncated();
	if (file[MAGIC.length] !== VERSION)
		throw new CaptureError(
			"unsupported_version",
			"a newer version of messaging-gateway wrote this file: update the package that reads it",
		);
	const expected = TEXT_AT + new DataView(file.buffer).getUint32(LENGTH_AT) + TAG_LENGTH;
	if (file.length < expected) throw truncated();
	const { algorithm, cryptoKey } = await prepare(key, file, "decrypt");
	try {
		return new Uint8Array(await webCrypto().decrypt(algorithm, cryptoKey, file.subarray(TEXT_AT)));
	} catch {
		throw new CaptureError(
			"undecryptable",
			"the file was altered, or encrypted with another key: use the key of the application that wrote it",
		);
	}
}

function truncated(): CaptureError {
	return new CaptureError(
		"truncated",
		"the file ends early: copy it again, with all of its bytes; a full disk leaves such a file as well",
	);
}

async function prepare(key: Bytes, file: Bytes, use: "encrypt" | "decrypt") {
	const cryptoKey = await webCrypto().importKey("raw", key, "AES-GCM", false, [use]);
	const iv = file.subarray(NONCE_AT, TEXT_AT);
	const algorithm = { name: "AES-GCM", iv, additionalData: file.subarray(0, NONCE_AT) } as const;
	return { cryptoKey, algorithm };
}
