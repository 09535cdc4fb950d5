import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A certificate with its key, both as PEM. */
export interface Certificate {
	readonly cert: string;
	readonly key: string;
}

/** A certificate that signs itself, for these names and addresses; valid for an hour from now on by default. */
export function createCertificate(
	names: readonly string[],
	validUntil = Date.now() + 3_600_000,
): Certificate {
	const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const name = sequence(set(sequence(oid("2.5.4.3"), tlv(0x0c, Buffer.from("test")))));
	const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
	const body = sequence(
		tlv(0xa0, integer(Buffer.from([2]))),
		integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
		algorithm,
		name,
		sequence(time(validUntil - 7_200_000), time(validUntil)),
		name,
		publicKey.export({ type: "spki", format: "der" }),
		tlv(0xa3, sequence(sequence(oid("2.5.29.17"), tlv(0x04, sequence(...names.map(alternativeName)))))),
	);
	const signature = tlv(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
	return { cert: pem(sequence(body, algorithm, signature)), key: exportKey(privateKey) };
}

/** A DER value: a tag, a length and the content (ITU-T X.690). */
function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
	const content = Buffer.concat(parts);
	const { length } = content;
	const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const set = (...parts: readonly Uint8Array[]): Buffer => tlv(0x31, ...parts);
const integer = (bytes: Uint8Array): Buffer => tlv(0x02, bytes);

function oid(dotted: string): Buffer {
	const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
	return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(part: number): number[] {
	const digits = [part & 0x7f];
	for (let left = part >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
	return digits;
}

/** As UTCTime, which names two digits of the year. */
function time(ms: number): Buffer {
	const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
	return tlv(0x17, Buffer.from(`${digits}Z`));
}

function alternativeName(name: string): Buffer {
	return isIP(name) === 4
		? tlv(0x87, Buffer.from(name.split(".").map(Number)))
		: tlv(0x82, Buffer.from(name));
}

function pem(der: Buffer): string {
	const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
	return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function exportKey(key: KeyObject): string {
	return key.export({ type: "pkcs8", format: "pem" }).toString();
}
