import { Readable } from "node:stream";
import fc from "fast-check";
import type { Attachment, ClientOptions, InputError, MessagingGateway } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { encodeBase64 } from "../../../../src/library/signing/base64.ts";
import { streamOf } from "../../../support/body-streams.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { refusedBy } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { html, MESSAGE, ok, USER } from "../../../support/wire.ts";

const PNG = new Uint8Array([137, 80, 78, 71]);
const PNG_BASE64 = "iVBORw==";
const success = ok({ message: MESSAGE }, { status: 202 });

/** What comes of an attachment beside another one: how it is sent, as JSON, or the sentence of its error. */
async function outcomeOf(attachment: unknown, options: ClientOptions = {}): Promise<string> {
	const attachments = [{ url: "https://files.example/a" }, attachment as Attachment];
	return sent((gateway) => gateway.messages.sendAttachments({ to: USER, attachments }), options);
}

/** What is sent of the last attachment, as JSON; or the sentence of the error, before anything is sent. */
async function sent(
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
	options: ClientOptions = {},
): Promise<string> {
	const { gateway, clock, requests } = scriptGateway([success], options);
	const [ending] = await settle(clock, Promise.allSettled([call(gateway)]));
	if (ending.status === "fulfilled") {
		const { attachments, attachment } = JSON.parse(requests[0]?.body ?? "");
		return JSON.stringify(attachment ?? attachments.at(-1));
	}
	const { code, message, issues, outcome }: InputError = ending.reason;
	expect({ code, outcome, sent: requests.length }).toEqual({
		code: "invalid_input",
		outcome: "not_sent",
		sent: 0,
	});
	expect(message).not.toContain("private");
	for (const { path, message: words } of issues) expect(message).toContain(`${path} ${words}`);
	return message;
}

const wire = (name: string, mimeType: string, data = PNG_BASE64): string =>
	JSON.stringify({ data, mimeType, name });

/** Bytes whose buffer was transferred, as `postMessage` does. */
function detach(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
	structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
	return bytes;
}

function locked(): ReadableStream {
	const stream = streamOf(PNG);
	stream.getReader();
	return stream;
}

const name = "a.png";
const larger = new Uint8Array([0, ...PNG, 0]);
const chunks = [PNG.slice(0, 1), new Uint8Array(0), PNG.slice(1)];
const base64 = { data: PNG_BASE64, encoding: "base64", name };
const named = (name: string) => ({ data: PNG, name });
const ofNode = () => Readable.from([PNG]);

const SENT: Outcomes<unknown> = {
	[wire(name, "image/png")]: {
		"a Uint8Array": { data: PNG, name },
		"a part of a larger buffer": { data: larger.subarray(1, 5), name },
		"a Buffer": { data: Buffer.from(PNG), name },
		"an ArrayBuffer": { data: PNG.slice().buffer, name },
		"a stream": { data: streamOf(...chunks), name },
		"a stream of Node": { data: Readable.toWeb(Readable.from(chunks)), name },
		"a Blob without a type": { data: new Blob([PNG]), name },
		"a string in base64": base64,
	},
	[wire(name, "image/webp")]: {
		"a Blob with a type": { data: new Blob([PNG], { type: "image/webp" }), name },
	},
	[wire("attachment", "image/png")]: { "a Blob alone": new Blob([PNG], { type: "image/png" }) },
	[wire("b", "image/gif")]: { "a File alone": new File([PNG], "b", { type: "image/gif" }) },
	[wire("b.txt", "text/plain")]: {
		"a File with a charset": new File([PNG], "b.txt", { type: "text/plain;charset=utf-8" }),
	},
	[wire("c.jpg", "image/jpeg")]: {
		"a File under another name": { data: new File([PNG], "b.gif"), name: "c.jpg" },
	},
	[wire(name, "image/apng")]: {
		"bytes under the type that is given": { data: PNG, name, mimeType: "image/apng" },
		"a string in base64 under the type that is given": { ...base64, mimeType: "image/apng" },
	},
	'{"url":"https://f.example/a"}': { "a URL": { url: "https://f.example/a" } },
	'{"mimeType":"image/png","name":"a","url":"https://f.example/a"}': {
		"a URL with all that it may have": { url: "https://f.example/a", name: "a", mimeType: "image/png" },
	},
	[wire("a.JPG", "image/jpeg")]: { "an extension in capitals": named("a.JPG") },
	[wire("a.b.mp3", "audio/mpeg")]: { "the last of two extensions": named("a.b.mp3") },
	[wire("a.m4a", "audio/mp4")]: { M4A: named("a.m4a") },
	[wire("a.caf", "audio/x-caf")]: { CAF: named("a.caf") },
	[wire("a.heic", "image/heic")]: { HEIC: named("a.heic") },
	[wire("pdf", "application/pdf")]: { "an extension alone": named("pdf") },
	[wire("a.unknown", "application/octet-stream")]: { "an unknown extension": named("a.unknown") },
	[wire("a.", "application/octet-stream")]: { "no extension after the dot": named("a.") },
	[wire("a.constructor", "application/octet-stream")]: { "a name of every object": named("a.constructor") },
	[wire("a", "application/octet-stream", "AA==")]: { "one byte": { data: new Uint8Array(1), name: "a" } },
};

const STRING =
	"is a string: pass { url }, { data, name }, a File, or `await attachmentFromFile(path)` of messaging-gateway/node";
const UNNAMED =
	'is a string: for base64 pass { data, encoding: "base64" }, for plain text new TextEncoder().encode(text)';
const NODE_STREAM =
	"is a Node stream: pass { data: Readable.toWeb(stream), name }, or `await attachmentFromFile(path)` of messaging-gateway/node";
const TRANSFERRED = "is in a buffer that was transferred elsewhere: pass a copy";
const NO_DATA = "must be bytes, a Blob, a stream, or a string with its encoding";
const FORM = "must be { url, name?, mimeType? } with an http(s) URL, or { data, name, mimeType }";

const REJECTED: Outcomes<unknown> = {
	[`attachments.1.data ${NODE_STREAM}`]: { "a stream of Node as the data": { data: ofNode(), name } },
	[`attachments.1 ${NODE_STREAM}`]: { "a stream of Node alone": ofNode() },
	"attachments.1 is bytes without a name: pass { data, name }": {
		"a stream alone": streamOf(PNG),
		"bytes alone": PNG,
		"a Buffer alone": Buffer.from(PNG),
		"an ArrayBuffer alone": PNG.slice().buffer,
	},
	[`attachments.1 ${STRING}`]: { "a path": "./photo.jpg", "a URL as a text": "https://files.example/a.png" },
	"attachments.1 is a promise: await it": { "a promise": Promise.resolve({}) },
	[`attachments.1.data ${UNNAMED}`]: {
		"a string without its encoding": { data: "Hello123", name: "a.txt" },
		"an unknown encoding": { data: "Hello123", encoding: "utf8", name: "a.txt" },
	},
	"attachments.1.encoding is only allowed with a string as data": {
		"bytes with an encoding": { ...base64, data: PNG },
	},
	[`messages.sendAttachments: attachments.1 ${FORM}`]: {
		"bytes without a name": { data: PNG },
		"a name alone": { name },
		"a number": 7,
		null: null,
	},
	"messages.sendAttachments: attachments.1 is required": { nothing: undefined },
	"messages.sendAttachments: attachments.1.data must not be empty": {
		"no bytes": { data: new Uint8Array(0), name: "a" },
	},
	"messages.sendAttachments: attachments.1.mimeType must be a media type, such as image/png": {
		"a media type that is none": { data: PNG, name: "a", mimeType: "png" },
	},
	"messages.sendAttachments: attachments.1.data must be base64": {
		"a string that is not base64": { ...base64, data: "no base64!", mimeType: "a/b" },
	},
	"messages.sendAttachments: attachments.1.url must be an absolute http or https URL": {
		"a URL that is none": { url: "files/a.png" },
		"a URL of a file": { url: "file:///etc/passwd" },
	},
	[`attachments.1.data ${NO_DATA}`]: {
		"data that is null": { data: null, name: "a" },
		"data that is a number": { data: 7, name: "a" },
		"data that is a list": { data: [1, 2], name: "a" },
		"data like a Blob without a type": { data: { size: 1, stream: () => streamOf(PNG) }, name },
		"data like a Blob without a size": { data: { type: "", stream: () => streamOf(PNG) }, name },
		"data like a Blob without a stream": { data: { size: 1, type: "" }, name },
	},
	"attachments.1 must be a stream of bytes": {
		"a stream of texts": { data: streamOf("text" as never), name: "a" },
	},
	"attachments.1 couldn't be read to its end": {
		"a stream that fails": { data: streamOf(new Error("private")), name: "a" },
		"a stream that somebody else reads": { data: locked(), name: "a" },
		"a Blob that cannot be opened": {
			data: { size: 1, type: "", stream: throwing(new Error("private")) },
			name,
		},
	},
	[`attachments.1.data ${TRANSFERRED}`]: {
		"a transferred ArrayBuffer": { data: detach(PNG.slice()).buffer, name },
		"a transferred view": { data: detach(PNG.slice()), name },
	},
	[`attachments.1 ${TRANSFERRED}`]: { "a transferred ArrayBuffer alone": detach(PNG.slice()).buffer },
};

describe("an attachment is sent as", () => testOutcomes(SENT, outcomeOf));
describe("an attachment is rejected", () => testOutcomes(REJECTED, outcomeOf));

const LIST = "attachments must be a list of attachments: wrap the attachment in [ ]";

describe("attachments", () => {
	testOutcomes<unknown>(
		{
			[LIST]: { "a path": "./photo.jpg", "an attachment alone": { data: PNG, name } },
			"attachments is required": { nothing: undefined, null: null },
			"messages.sendAttachments: attachments must be at least 1 item": { "an empty list": [] },
		},
		(attachments) => sent((gateway) => gateway.messages.sendAttachments({ to: USER, attachments } as never)),
	);

	test("a stream is read once, over all attempts", async () => {
		const { gateway, clock, requests } = scriptGateway([html(429), success]);
		const attachments = [{ data: streamOf(PNG), name }];
		await settle(clock, gateway.messages.sendAttachments({ to: USER, attachments }));
		expect(requests.map(({ body }) => body?.includes(PNG_BASE64))).toEqual([true, true]);
	});
});

describe("a voice note", () => {
	testOutcomes<unknown>(
		{
			[wire("note.m4a", "audio/mp4")]: { bytes: named("note.m4a") },
			[`attachment ${STRING}`]: { "a path": "./a.m4a" },
		},
		(attachment) => sent((gateway) => gateway.messages.sendVoiceNote({ to: USER, attachment } as never)),
	);

	test("has a path of its own", async () => {
		const { gateway, requests } = scriptGateway([success]);
		await gateway.messages.sendVoiceNote({ to: USER, attachment: named("note.m4a") });
		expect(requests[0]?.url).toBe("https://gateway.example/message/voice");
	});
});

/** Whole digits of base64 hold as many. */
const MAX_BYTES = 999_999;
const TOO_LARGE = `attachments.1 must be at most ${MAX_BYTES} bytes: use a url for larger files`;
const large = new Uint8Array(MAX_BYTES + 1);
const endless = (cancel?: () => void) =>
	new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1024 * 1024)), ...(cancel && { cancel }) });
const limited = { profile: { limits: { attachmentBytes: MAX_BYTES } } };
const inBase64 = (bytes: number) => ({
	...base64,
	data: Buffer.alloc(bytes).toString("base64"),
	mimeType: "image/png",
});
/** Only how much is sent: the sentence of an error stays. */
const lengthOf = async (attachment: unknown): Promise<string> =>
	(await outcomeOf(attachment, limited)).replace(
		/.*"data":"(.*?)".*/,
		(_, data: string) => `${Buffer.from(data, "base64").length} bytes`,
	);

describe("an attachment and the profile's limit", () => {
	testOutcomes<unknown>(
		{
			[`${MAX_BYTES} bytes`]: {
				"as many bytes": { data: large.subarray(1), name: "a" },
				"as many in a Blob": { data: new Blob([large.subarray(1)]), name: "a" },
				"as many in a stream": { data: streamOf(large.subarray(1)), name: "a" },
				"as many in base64": inBase64(MAX_BYTES),
			},
			[TOO_LARGE]: {
				"one byte more": { data: large, name: "a" },
				"one more in an ArrayBuffer": { data: large.buffer, name: "a" },
				"one more in a Blob": new Blob([large]),
				"one more in a stream": { data: streamOf(large), name: "a" },
				"one more in base64": inBase64(MAX_BYTES + 1),
				"a stream without end": { data: endless(), name: "a" },
			},
		},
		lengthOf,
	);

	test("a stream without end is cancelled", async () => {
		const cancel = vi.fn();
		await outcomeOf({ data: endless(cancel), name: "a" }, limited);
		expect(cancel).toHaveBeenCalledOnce();
	});

	test("without a limit, one that the local gateway rejects is sent: the real limit is not shown", async () => {
		const whole = await outcomeOf({ data: new Uint8Array(10_000_001), name: "a" });
		expect(Buffer.from(JSON.parse(whole).data, "base64").length).toBe(10_000_001);
	});
});

test.each([undefined, null, "x", 7])(
	"an input of %j is rejected by every method with an input",
	async (input) => {
		const none = input as never;
		const calls: ((gateway: MessagingGateway) => PromiseLike<unknown>)[] = [
			(gateway) => gateway.messages.sendText(none),
			(gateway) => gateway.messages.sendAttachments(none),
			(gateway) => gateway.messages.sendVoiceNote(none),
			(gateway) => gateway.messages.markRead(none),
			(gateway) => gateway.agents.register(none),
			(gateway) => gateway.mappings.create(none),
			(gateway) => gateway.settings.setWebhooks(none),
			(gateway) => gateway.mappings.get(none),
		];
		for (const call of calls) expect(await refusedBy(call)).toMatchObject({ code: "invalid_input" });
	},
);

describe("base64 is what Node's own makes of any bytes", () => {
	const NodeBuffer = Buffer;
	const toBase64 = vi.fn(function (this: Uint8Array) {
		return NodeBuffer.from(this).toString("base64");
	});

	/** Encodes in a runtime with these. */
	function encodeWith(method: (() => string) | undefined, buffer: unknown, bytes: Uint8Array): string {
		const own = Object.getOwnPropertyDescriptor(Uint8Array.prototype, "toBase64");
		vi.stubGlobal("Buffer", buffer);
		Object.defineProperty(Uint8Array.prototype, "toBase64", { value: method, configurable: true });
		try {
			return encodeBase64(bytes);
		} finally {
			Reflect.deleteProperty(Uint8Array.prototype, "toBase64");
			if (own !== undefined) Object.defineProperty(Uint8Array.prototype, "toBase64", own);
			vi.unstubAllGlobals();
		}
	}

	test.each<[title: string, made: number, method: (() => string) | undefined, buffer: unknown]>([
		["by a method of the bytes", 1, toBase64, NodeBuffer],
		["by a Buffer", 0, undefined, NodeBuffer],
		["in chunks", 0, undefined, undefined],
	])("%s", (_title, made, method, buffer) => {
		const check = (bytes: Uint8Array) => {
			toBase64.mockClear();
			const encoded = encodeWith(method, buffer, bytes);
			expect(toBase64).toHaveBeenCalledTimes(made);
			expect(encoded).toBe(NodeBuffer.from(bytes).toString("base64"));
		};
		fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), check));
		const larger = fc.uint8Array({ minLength: 9, maxLength: 20 });
		fc.assert(fc.property(larger, (bytes) => check(bytes.subarray(2, 7))));
		for (const length of [0, 1, 2, 3, 3_071, 3_072, 3_073, 24_577, 100_001])
			check(Uint8Array.from({ length }, (_, at) => (at * 31) % 256));
	});

	test.each<[title: string, method: unknown, buffer: unknown]>([
		["null for a method", null, undefined],
		["a method that throws", throwing(new Error("private")), undefined],
		["a method of a script", () => "AQID", undefined],
		["a Buffer that is none", undefined, class {}],
		["a Buffer of a script", undefined, { from: () => ({ toString: () => "[object Object]" }) }],
	])("also where a page has %s", (_title, method, buffer) => {
		expect(encodeWith(method as never, buffer, Uint8Array.of(1, 2, 3, 4))).toBe("AQIDBA==");
	});
});
