import { createCipheriv } from "node:crypto";
import { type CaptureError, readCapture } from "messaging-gateway/webhooks/capture";
import { describe, expect } from "vitest";
import { type Outcomes, testOutcomes } from "../../../../support/outcomes.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");

/** A file by node:crypto alone: "MGCAPT", a zero, a version, a length, a nonce, and AES-256-GCM over a line of JSON and a body. */
function sealed(plain: string, version = 1): Uint8Array {
	const head = Buffer.alloc(12);
	head.write("MGCAPT\0");
	head[7] = version;
	head.writeUInt32BE(Buffer.byteLength(plain), 8);
	const nonce = Buffer.alloc(12, 3);
	const cipher = createCipheriv("aes-256-gcm", Buffer.from(KEY, "base64"), nonce).setAAD(head);
	return Buffer.concat([head, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

const FILE = sealed('{"type":"failure"}\n{}');
const altered = (at: number) => FILE.with(at, (FILE.at(at) ?? 0) ^ 9);
const otherKey = Buffer.alloc(32, 8).toString("base64");
const TRUNCATED =
	"truncated: the file ends early: copy it again, with all of its bytes; a full disk leaves such a file as well";
const UNDECRYPTABLE =
	"undecryptable: the file was altered, or encrypted with another key: use the key of the application that wrote it";

/** A file, and a key. */
const FILES: Outcomes<readonly [file: Uint8Array, key?: string]> = {
	'failure {"body":"{}"}': {
		"written elsewhere": [FILE],
		"with its key and a line end": [FILE, `${KEY}\n`],
	},
	'rejection {"sent":{"headers":{},"body":"a\\nb"}}': {
		"of a rejection with its body, which has a line end": [sealed('{"type":"rejection","sent":{}}\na\nb')],
	},
	"rejection {}": { "of a rejection without its body": [sealed('{"type":"rejection"}\n')] },
	[TRUNCATED]: Object.fromEntries(
		[0, 3, 8, 20, 24, FILE.length - 1].map((length) => [
			`cut after ${length} bytes`,
			[FILE.subarray(0, length)],
		]),
	),
	[UNDECRYPTABLE]: {
		...Object.fromEntries([12, 30, FILE.length - 1].map((at) => [`altered at ${at}`, [altered(at)]])),
		"with another length": [FILE.with(11, 1)],
		"with a byte more": [Uint8Array.of(...FILE, 1)],
		"of another key": [FILE, otherKey],
		"of nothing, cut to its head": [sealed("").subarray(0, 40).with(39, 0).with(38, 0)],
	},
	"unsupported_version: a newer version of messaging-gateway wrote this file: update the package that reads it":
		{
			"of a later version": [sealed("{}\n", 2)],
		},
	"not_a_capture: this is no file of a captured failure: give one that `captureFailures` wrote": {
		"of something else": [Buffer.from("HTTP/1.1 200 OK")],
		"with a letter for the zero": [altered(6)],
	},
	"not_a_capture: this file holds no captured failure: give one that `captureFailures` wrote": {
		"without a record": [sealed("no JSON\n")],
		"with nothing in it": [sealed("")],
	},
};

describe("a file", () => {
	testOutcomes(FILES, ([file, key = KEY]) =>
		readCapture(file, key).then(
			({ type, ...rest }) => {
				const text = (_name: string, value: unknown) =>
					value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
				return `${type} ${JSON.stringify(rest, text)}`;
			},
			(error: CaptureError) => {
				expect(error).toMatchObject({ name: "CaptureError" });
				return `${error.code}: ${error.message}`;
			},
		),
	);
});
