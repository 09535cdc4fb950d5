import { execFileSync } from "node:child_process";
import fs, { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { InputError } from "messaging-gateway";
import { attachmentFromFile } from "messaging-gateway/node";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { MESSAGE, ok, USER } from "../../../support/wire.ts";

const MAX_BYTES = 256 * 1024 * 1024;
const CHUNK = new Uint8Array(1024 * 1024);
const folder = await mkdtemp(join(tmpdir(), "attachment-"));
const inFolder = (name: string): string => join(folder, name);
const hasPipes = process.platform !== "win32";

/** Files that are as large as they say, and take no space. */
const SPARSE = { "10MB.bin": 10_000_001, "most.bin": MAX_BYTES, "large.bin": MAX_BYTES + 1 };

beforeAll(async () => {
	for (const name of ["photo.jpg", "a photo.jpg"]) await writeFile(inFolder(name), "jpeg");
	for (const [name, size] of Object.entries(SPARSE)) {
		await writeFile(inFolder(name), "");
		await truncate(inFolder(name), size);
	}
	if (hasPipes) execFileSync("mkfifo", [inFolder("pipe")]);
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => rm(folder, { recursive: true }));

/** Lets the next file that is opened have other contents than when it was looked at. */
function openAs(chunks: () => Generator<Uint8Array>): { close: ReturnType<typeof vi.fn> } {
	const close = vi.fn(async () => undefined);
	vi.spyOn(fs, "open").mockResolvedValueOnce({
		createReadStream: () => Readable.from(chunks()),
		close,
	} as never);
	return { close };
}

/** What is given, and what untyped code may give. */
type Given = readonly [file: unknown, options?: { name?: string; mimeType?: string }];

/** The attachment, or an error, which never repeats a path. */
async function outcomeOf([file, options]: Given): Promise<string> {
	try {
		const { data, name, mimeType } = await attachmentFromFile(file as string, options);
		const contents = Buffer.from(data as Uint8Array);
		return `${name}, ${mimeType}: ${contents.length > 4 ? `${contents.length} bytes` : contents}`;
	} catch (error) {
		const message = String(Reflect.get(Object(error), "message"));
		const issue = { path: "path", message: message.replace("The file ", "") };
		expect(error).toBeInstanceOf(InputError);
		expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent", issues: [issue] });
		for (const hidden of [folder, "15551234567", "none.jpg", "large.bin", "a%2Fb"])
			expect(inspect(error)).not.toContain(hidden);
		return message;
	}
}

const FILES: Outcomes<Given> = {
	"photo.jpg, image/jpeg: jpeg": {
		"a path": [inFolder("photo.jpg")],
		"a file: URL": [pathToFileURL(inFolder("photo.jpg"))],
		"a file: URL as a string of another realm's URL has it": [
			{ toString: () => pathToFileURL(inFolder("photo.jpg")).href },
		],
	},
	"a photo.jpg, image/jpeg: jpeg": {
		"a file: URL with an escape, which is decoded": [pathToFileURL(inFolder("a photo.jpg"))],
	},
	"x.png, image/png: jpeg": {
		"a name, by which the media type is guessed": [inFolder("photo.jpg"), { name: "x.png" }],
	},
	"photo.jpg, image/heic: jpeg": {
		"a media type, beside the file's own name": [inFolder("photo.jpg"), { mimeType: "image/heic" }],
	},
	"10MB.bin, application/octet-stream: 10000001 bytes": {
		"a file that the local gateway rejects: the real limit is not shown": [inFolder("10MB.bin")],
	},
	"The file must be a path or a file: URL": {
		"another URL": [new URL("https://files.example/+15551234567.jpg")],
		"a file: URL with an escaped slash": [new URL("file:///a%2Fb")],
		nothing: [undefined],
		"a number": [7],
	},
	"The file couldn't be read (ENOENT)": { "a file that is not there": [inFolder("none.jpg")] },
	"The file must be a regular file": {
		"a folder": [folder],
		...(hasPipes && { "a pipe, whose writer is not waited for": [inFolder("pipe")] }),
	},
	"The file must be at most 256 MiB: use a url for larger files": {
		"a byte more than 256 MiB": [inFolder("large.bin")],
	},
};

testOutcomes(FILES, outcomeOf);

test("returns an attachment for sendAttachments", async () => {
	const { gateway, requests } = scriptGateway([ok({ message: MESSAGE })]);
	const photo = await attachmentFromFile(inFolder("photo.jpg"));
	await gateway.messages.sendAttachments({ to: USER, attachments: [photo] });
	expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
		attachments: [
			{ data: Buffer.from("jpeg").toString("base64"), name: "photo.jpg", mimeType: "image/jpeg" },
		],
	});
});

test("opens a file of 256 MiB, and none that is larger", async () => {
	const { close } = openAs(function* () {
		yield CHUNK;
	});
	expect(await outcomeOf([inFolder("most.bin")])).toBe(
		`most.bin, application/octet-stream: ${CHUNK.length} bytes`,
	);
	await outcomeOf([inFolder("large.bin")]);
	expect(fs.open).toHaveBeenCalledTimes(1);
	expect(close).toHaveBeenCalledTimes(1);
});

test("hides why a file can't be opened, but for its code", async () => {
	const failure = Object.assign(new Error(`EACCES: ${folder}`), { code: "EACCES" });
	vi.spyOn(fs, "open").mockRejectedValueOnce(failure);
	expect(await outcomeOf([inFolder("photo.jpg")])).toBe("The file couldn't be read (EACCES)");
});

test("stops reading a file that grows past the limit, and closes what it opened", async () => {
	let given = 0;
	const { close } = openAs(function* () {
		for (;;) {
			given += CHUNK.length;
			yield CHUNK;
		}
	});
	expect(await catchRejection(attachmentFromFile(inFolder("photo.jpg")))).toMatchObject({
		message: "The file must be at most 256 MiB: use a url for larger files",
	});
	// The stream may be a piece ahead of who reads it.
	expect(given).toBeLessThan(MAX_BYTES + 20 * CHUNK.length);
	expect(close).toHaveBeenCalledTimes(1);
});

test("closes a file that cannot be read to its end", async () => {
	const { close } = openAs(function* () {
		yield CHUNK;
		throw Object.assign(new Error(`EIO: ${folder}`), { code: "EIO" });
	});
	expect(await outcomeOf([inFolder("photo.jpg")])).toBe("The file couldn't be read (EIO)");
	expect(close).toHaveBeenCalledTimes(1);
});
