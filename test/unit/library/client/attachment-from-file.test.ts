import { execFileSync } from "node:child_process";
import fs, { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { InputError } from "messaging-gateway";
import { attachmentFromFile } from "messaging-gateway/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { MESSAGE, ok, USER } from "../../../support/wire.ts";

const MAX_BYTES = 256 * 1024 * 1024;
const CHUNK = new Uint8Array(1024 * 1024);
let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "attachment-"));
	await writeFile(join(folder, "photo.jpg"), "jpeg");
	await writeFile(join(folder, "full.bin"), "");
	await truncate(join(folder, "full.bin"), 10_000_001);
	await writeFile(join(folder, "large.bin"), "");
	await truncate(join(folder, "large.bin"), MAX_BYTES + 1);
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

describe("attachmentFromFile", () => {
	test.each<[title: string, name: string, given: (path: string) => string | URL]>([
		["path", "photo.jpg", (path) => path],
		["file: URL, with escapes decoded", "a photo.jpg", pathToFileURL],
	])("reads bytes, with name and media type from a %s", async (_title, name, given) => {
		await writeFile(join(folder, name), "jpeg");
		const { data, ...rest } = await attachmentFromFile(given(join(folder, name)));
		expect(rest).toEqual({ name, mimeType: "image/jpeg" });
		expect(Buffer.from(data as Uint8Array).toString()).toBe("jpeg");
	});

	test.each([
		[new URL("https://files.example/+15551234567.jpg")],
		[new URL("file:///a%2Fb")],
		[undefined],
		[7],
	])("rejects %s without repeating it", async (file) => {
		const error = await catchRejection(attachmentFromFile(file as never));
		expect(error).toBeInstanceOf(InputError);
		expect(String(error)).toContain("The file must be a path or a file: URL");
		expect(inspect(error)).not.toContain("15551234567");
	});

	test.each([
		[{ name: "x.png" }, { name: "x.png", mimeType: "image/png" }],
		[{ mimeType: "image/heic" }, { name: "photo.jpg", mimeType: "image/heic" }],
	])("accepts %j, and guesses what is left out", async (options, expected) => {
		expect(await attachmentFromFile(join(folder, "photo.jpg"), options)).toMatchObject(expected);
	});

	test("returns an attachment for sendAttachments", async () => {
		const { gateway, requests } = scriptGateway([ok({ message: MESSAGE })]);
		const photo = await attachmentFromFile(join(folder, "photo.jpg"));
		await gateway.messages.sendAttachments({ to: USER, attachments: [photo] });
		expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
			attachments: [
				{ data: Buffer.from("jpeg").toString("base64"), name: "photo.jpg", mimeType: "image/jpeg" },
			],
		});
	});

	test("reads a file that the local gateway rejects: the real limit is not shown", async () => {
		expect((await attachmentFromFile(join(folder, "full.bin"))).data).toHaveLength(10_000_001);
	});

	test.each([
		["that is not there", "none.jpg", "The file couldn't be read (ENOENT)"],
		["that is a folder", ".", "The file must be a regular file"],
		["that is too large", "large.bin", "The file must be at most 256 MiB: use a url for larger files"],
	])("rejects a file %s", async (_title, name, message) => {
		const error = await catchRejection(attachmentFromFile(join(folder, name)));
		expect(error).toBeInstanceOf(InputError);
		expect(error).toMatchObject({ message, issues: [{ path: "path" }], outcome: "not_sent" });
		expect(inspect(error)).not.toContain(name === "." ? folder : name);
	});

	test.skipIf(process.platform === "win32")("rejects a pipe, without waiting for its writer", async () => {
		const pipe = join(folder, "pipe");
		execFileSync("mkfifo", [pipe]);
		expect(await catchRejection(attachmentFromFile(pipe))).toMatchObject({
			message: "The file must be a regular file",
			outcome: "not_sent",
		});
	});

	test("stops reading a file that grows past the limit, and closes what it opened", async () => {
		let given = 0;
		const { close } = openAs(function* () {
			for (;;) {
				given += CHUNK.length;
				yield CHUNK;
			}
		});
		expect(await catchRejection(attachmentFromFile(join(folder, "photo.jpg")))).toMatchObject({
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
		expect(await catchRejection(attachmentFromFile(join(folder, "photo.jpg")))).toMatchObject({
			message: "The file couldn't be read (EIO)",
		});
		expect(close).toHaveBeenCalledTimes(1);
	});
});
