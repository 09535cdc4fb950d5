import { Readable } from "node:stream";
import fc from "fast-check";
import type { Attachment, ClientOptions, MessagingGateway } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { encodeBase64 } from "../../../../src/library/signing/base64.ts";
import { streamOf } from "../../../support/body-streams.ts";
import { settle } from "../../../support/counting-clock.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { refusedBy } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { html, MESSAGE, ok, USER } from "../../../support/wire.ts";

const MAX_BYTES = 1_000_000;
const LIMITED = { profile: { limits: { attachmentBytes: MAX_BYTES } } };
const PNG = new Uint8Array([137, 80, 78, 71]);
const PNG_BASE64 = "iVBORw==";
const success = ok({ message: MESSAGE }, { status: 202 });

/** What is sent for an attachment. */
async function sentAs(attachment: unknown, options: ClientOptions = {}): Promise<unknown> {
	const { gateway, clock, requests } = scriptGateway([success], options);
	await settle(
		clock,
		gateway.messages.sendAttachments({ to: USER, attachments: [attachment as Attachment] }),
	);
	return (JSON.parse(requests[0]?.body ?? "") as { attachments: unknown[] }).attachments[0];
}

/** The error for an attachment, with nothing sent. */
async function refusedAs(attachment: unknown, options: ClientOptions = {}): Promise<unknown> {
	const input = { to: USER, attachments: [{ url: "https://files.example/a" }, attachment as Attachment] };
	const error = await refusedBy((gateway) => gateway.messages.sendAttachments(input), options);
	expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent" });
	return error;
}

describe("an attachment is sent", () => {
	const name = "a.png";
	const larger = new Uint8Array([0, ...PNG, 0]);
	const chunks = [PNG.slice(0, 1), new Uint8Array(0), PNG.slice(1)];
	const base64 = { data: PNG_BASE64, encoding: "base64", name };

	test.each<[title: string, attachment: unknown, wire?: object]>([
		["from a Uint8Array", { data: PNG, name }],
		["from a part of a larger buffer", { data: larger.subarray(1, 5), name }],
		["from a Buffer", { data: Buffer.from(PNG), name }],
		["from an ArrayBuffer", { data: PNG.slice().buffer, name }],
		["from a stream", { data: streamOf(...chunks), name }],
		["from a stream of Node", { data: Readable.toWeb(Readable.from(chunks)), name }],
		["from a Blob without a type", { data: new Blob([PNG]), name }],
		[
			"from a Blob with a type",
			{ data: new Blob([PNG], { type: "image/webp" }), name },
			{ mimeType: "image/webp" },
		],
		["from a Blob alone", new Blob([PNG], { type: "image/png" }), { name: "attachment" }],
		["from a File alone", new File([PNG], "b", { type: "image/gif" }), { name: "b", mimeType: "image/gif" }],
		[
			"from a File with a charset",
			new File([PNG], "b.txt", { type: "text/plain;charset=utf-8" }),
			{ name: "b.txt", mimeType: "text/plain" },
		],
		[
			"from a File under another name",
			{ data: new File([PNG], "b.gif"), name: "c.jpg" },
			{ name: "c.jpg", mimeType: "image/jpeg" },
		],
		["from a string in base64", base64],
		["from a string in base64 of a type", { ...base64, mimeType: "image/apng" }, { mimeType: "image/apng" }],
		["under the type that is given", { data: PNG, name, mimeType: "image/apng" }, { mimeType: "image/apng" }],
	])("%s", async (_title, attachment, wire) => {
		expect(await sentAs(attachment)).toEqual({ data: PNG_BASE64, name, mimeType: "image/png", ...wire });
	});

	test.each([
		{ url: "https://f.example/a" },
		{ url: "https://f.example/a", name: "a", mimeType: "image/png" },
	])("as its URL: %j", async (attachment) => {
		expect(await sentAs(attachment)).toEqual(attachment);
	});

	test.each([
		["a.JPG", "image/jpeg"],
		["a.b.mp3", "audio/mpeg"],
		["a.m4a", "audio/mp4"],
		["a.caf", "audio/x-caf"],
		["a.heic", "image/heic"],
		["pdf", "application/pdf"],
		["a.unknown", "application/octet-stream"],
		["a.", "application/octet-stream"],
		["a.constructor", "application/octet-stream"],
	])("named %s as %s", async (name, mimeType) => {
		expect(await sentAs({ data: PNG, name })).toMatchObject({ mimeType });
	});

	test("from a stream that is read once, over all attempts", async () => {
		const { gateway, clock, requests } = scriptGateway([html(429), success]);
		const data = streamOf(PNG);
		await settle(
			clock,
			gateway.messages.sendAttachments({ to: USER, attachments: [{ data, name: "a.png" }] }),
		);
		expect(requests.map(({ body }) => body?.includes(PNG_BASE64))).toEqual([true, true]);
	});

	test("as a voice note", async () => {
		const { gateway, requests } = scriptGateway([success]);
		await gateway.messages.sendVoiceNote({ to: USER, attachment: { data: PNG, name: "note.m4a" } });
		expect(requests[0]?.url).toBe("https://gateway.example/message/voice");
		expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
			to: USER,
			attachment: { data: PNG_BASE64, name: "note.m4a", mimeType: "audio/mp4" },
		});
	});
});

describe("an attachment that is larger than the profile's limit", () => {
	const large = new Uint8Array(MAX_BYTES + 1);
	const cancel = vi.fn();
	const endless = new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1024 * 1024)), cancel });
	const base64 = "A".repeat(Math.ceil((MAX_BYTES + 3) / 3) * 4);

	test.each<[title: string, attachment: unknown]>([
		["a Uint8Array", { data: large, name: "a" }],
		["an ArrayBuffer", { data: large.buffer, name: "a" }],
		["a Blob", new Blob([large])],
		["a string in base64", { data: base64, encoding: "base64", name: "a", mimeType: "image/png" }],
		["a stream that does not end, and is cancelled", { data: endless, name: "a" }],
	])("%s is rejected with its index in the list", async (_title, attachment) => {
		const message = "must be at most 1000000 bytes: use a url for larger files";
		expect(await refusedAs(attachment, LIMITED)).toMatchObject({
			message: `attachments.1 ${message}`,
			issues: [{ path: "attachments.1", message }],
		});
		if (Object(attachment).data === endless) expect(cancel).toHaveBeenCalledOnce();
	});

	test("one of exactly the limit is sent", async () => {
		const wire = (await sentAs({ data: new Uint8Array(MAX_BYTES), name: "a" }, LIMITED)) as { data: string };
		expect(Buffer.from(wire.data, "base64").length).toBe(MAX_BYTES);
		expect(await sentAs({ ...wire, encoding: "base64" }, LIMITED)).toMatchObject({ name: "a" });
	});

	test("without a limit, one that the local gateway rejects is sent: the real limit is not shown", async () => {
		const wire = (await sentAs({ data: new Uint8Array(10_000_001), name: "a" })) as { data: string };
		expect(Buffer.from(wire.data, "base64").length).toBe(10_000_001);
	});
});

/** Bytes whose buffer was transferred, as `postMessage` does. */
function detach(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
	structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
	return bytes;
}

describe("an invalid attachment is rejected with its index in the list", () => {
	const locked = streamOf(PNG);
	locked.getReader();

	test.each<[title: string, attachment: unknown]>([
		["a stream that fails", { data: streamOf(new Error("private")), name: "a" }],
		["a stream of texts", { data: streamOf("text" as never), name: "a" }],
		["a stream that somebody else reads", { data: locked, name: "a" }],
		["data that is null", { data: null, name: "a" }],
		["data that is a number", { data: 7, name: "a" }],
		["data that is a list", { data: [1, 2], name: "a" }],
		["a string that is not base64", { data: "no base64!", encoding: "base64", name: "a", mimeType: "a/b" }],
		["no bytes", { data: new Uint8Array(0), name: "a" }],
		["no name", { data: PNG }],
		["a media type that is none", { data: PNG, name: "a", mimeType: "png" }],
		["a URL that is none", { url: "files/a.png" }],
		["a URL of a file", { url: "file:///etc/passwd" }],
		["a text", "https://files.example/a.png"],
		["null", null],
		["nothing", undefined],
	])("%s", async (_title, attachment) => {
		const error = (await refusedAs(attachment)) as Error & { issues: { path: string }[] };
		expect(error.issues[0]?.path).toMatch(/^attachments\.1/);
		expect(error.message).not.toContain("private");
	});
});

describe("a common mistake is reported with its fix", () => {
	const STRING =
		"is a string: pass { url }, { data, name }, a File, or `await attachmentFromFile(path)` of messaging-gateway/node";
	const BYTES = "is bytes without a name: pass { data, name }";
	const UNNAMED =
		'is a string: for base64 pass { data, encoding: "base64" }, for plain text new TextEncoder().encode(text)';

	const NODE_STREAM =
		"is a Node stream: pass { data: Readable.toWeb(stream), name }, or `await attachmentFromFile(path)` of messaging-gateway/node";
	const ofNode = () => Readable.from([PNG]);

	test.each<[title: string, attachment: unknown, path: string, message: string]>([
		["a stream of Node as the data", { data: ofNode(), name: "a.png" }, "attachments.1.data", NODE_STREAM],
		["a stream of Node alone", ofNode(), "attachments.1", NODE_STREAM],
		["a stream alone", streamOf(PNG), "attachments.1", BYTES],
		["a path", "./photo.jpg", "attachments.1", STRING],
		["a URL", "https://files.example/a.png", "attachments.1", STRING],
		["bytes alone", PNG, "attachments.1", BYTES],
		["a Buffer alone", Buffer.from(PNG), "attachments.1", BYTES],
		["an ArrayBuffer alone", PNG.slice().buffer, "attachments.1", BYTES],
		["a promise", Promise.resolve({}), "attachments.1", "is a promise: await it"],
		["a string without its encoding", { data: "Hello123", name: "a.txt" }, "attachments.1.data", UNNAMED],
		[
			"an unknown encoding",
			{ data: "Hello123", encoding: "utf8", name: "a.txt" },
			"attachments.1.data",
			UNNAMED,
		],
		[
			"bytes with an encoding",
			{ data: PNG, encoding: "base64", name: "a.png" },
			"attachments.1.encoding",
			"is only allowed with a string as data",
		],
	])("%s", async (_title, attachment, path, message) => {
		const issues = [{ path, message }];
		expect(await refusedAs(attachment)).toMatchObject({ message: `${path} ${message}`, issues });
	});

	test.each([[{ data: PNG }], [7], [null], [{ name: "a.png" }]])(
		"%j, without base64, which nobody gave",
		async (given) => {
			expect(await refusedAs(given)).toMatchObject({
				message:
					"messages.sendAttachments: attachments.1 must be { url, name?, mimeType? } with an http(s) URL, or { data, name, mimeType }",
			});
		},
	);

	test("in a voice note, too", async () => {
		const input = { to: USER, attachment: "./a.m4a" as never };
		const error = await refusedBy((gateway) => gateway.messages.sendVoiceNote(input));
		expect(error).toMatchObject({ code: "invalid_input", message: `attachment ${STRING}` });
	});

	test.each<[title: string, attachment: () => unknown, path: string]>([
		["an ArrayBuffer", () => ({ data: detach(PNG.slice()).buffer, name: "a.png" }), "attachments.1.data"],
		["a view", () => ({ data: detach(PNG.slice()), name: "a.png" }), "attachments.1.data"],
		["an ArrayBuffer alone", () => detach(PNG.slice()).buffer, "attachments.1"],
	])("%s that was transferred elsewhere", async (_title, attachment, path) => {
		const error = await refusedAs(attachment());
		expect(error).toMatchObject({
			code: "invalid_input",
			issues: [{ path, message: "is in a buffer that was transferred elsewhere: pass a copy" }],
		});
	});

	test("a blob that cannot be opened", async () => {
		const blob = { size: 1, type: "", stream: throwing(new Error("private")) };
		expect(await refusedAs({ data: blob, name: "a.png" })).toMatchObject({
			code: "invalid_input",
			issues: [{ path: "attachments.1", message: "couldn't be read to its end" }],
		});
	});

	test.each<[attachments: unknown, message: string]>([
		["./photo.jpg", "attachments must be a list of attachments: wrap the attachment in [ ]"],
		[{ data: PNG, name: "a.png" }, "attachments must be a list of attachments: wrap the attachment in [ ]"],
		[undefined, "attachments is required"],
		[null, "attachments is required"],
		[[], "messages.sendAttachments: attachments must be at least 1 item"],
	])("attachments of %j", async (attachments, message) => {
		const input = { to: USER, attachments } as never;
		const error = await refusedBy((gateway) => gateway.messages.sendAttachments(input));
		expect(error).toMatchObject({ code: "invalid_input", message, issues: [{ path: "attachments" }] });
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
