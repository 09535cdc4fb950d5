import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import {
	encodeKeptSecrets,
	keepSecrets,
	readKeptSecrets,
} from "../../../../src/tools/cli/credentials/kept-secrets.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

let folder: string;
let path: string;

beforeEach(() => {
	folder = temporaryFolder();
	path = join(folder, "state", "messaging-gateway", "local-secrets.json");
});

const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe("the first start", () => {
	test("creates two random secrets, readable by their owner only", () => {
		const { appSecret, webhookSecret } = keepSecrets(path);
		expect(appSecret).toMatch(/^local-app-[0-9a-f]{48}$/);
		expect(webhookSecret).toMatch(/^local-webhook-[0-9a-f]{48}$/);
		expect(appSecret.slice(-48)).not.toBe(webhookSecret.slice(-48));
		expect([path, join(path, ".."), join(folder, "state")].map(modeOf)).toEqual([0o600, 0o700, 0o700]);
		expect(readdirSync(join(path, ".."))).toEqual(["local-secrets.json"]);
	});

	test("restricts its folder to the owner", () => {
		mkdirSync(join(path, ".."), { recursive: true, mode: 0o755 });
		keepSecrets(path);
		expect(modeOf(join(path, ".."))).toBe(0o700);
	});

	test("names the variables to set if the folder is not writable", () => {
		writeFileSync(join(folder, "state"), "a file");
		expect(() => keepSecrets(path)).toThrow(
			expect.objectContaining({ hint: expect.stringContaining("MESSAGING_GATEWAY_APP_SECRET") }),
		);
	});
});

describe("a later start", () => {
	test("does not write to the folder", () => {
		const secrets = keepSecrets(path);
		const before = statSync(join(path, ".."), { bigint: true }).ctimeNs;
		expect(keepSecrets(path)).toEqual(secrets);
		expect(statSync(join(path, ".."), { bigint: true }).ctimeNs).toBe(before);
	});

	test("restricts a file that others can read to its owner", () => {
		const secrets = keepSecrets(path);
		chmodSync(path, 0o644);
		expect(readKeptSecrets(path)).toEqual(secrets);
		expect(modeOf(path)).toBe(0o600);
	});

	test.each(["", "{", "[]", '{"appSecret":"a"}', '{"appSecret":"a","webhookSecret":" "}', '{"appSecret":1}'])(
		"rejects a file with %j and does not change it",
		(content) => {
			mkdirSync(join(path, ".."), { recursive: true });
			writeFileSync(path, content, { mode: 0o600 });
			expect(() => readKeptSecrets(path)).toThrow(`${path} contains no valid secrets`);
			expect(() => keepSecrets(path)).toThrow(`${path} contains no valid secrets`);
			expect(readFileSync(path, "utf8")).toBe(content);
		},
	);
});

describe("instead of the file", () => {
	beforeEach(() => mkdirSync(join(path, ".."), { recursive: true }));

	test.each<[string, () => unknown]>([
		["a folder", () => mkdirSync(path)],
		["a pipe", () => execFileSync("mkfifo", [path])],
	])("%s is rejected and keeps its mode", (_what, make) => {
		make();
		chmodSync(path, 0o755);
		expect(() => readKeptSecrets(path)).toThrow("it isn't a regular file");
		expect(() => keepSecrets(path)).toThrow("it isn't a regular file");
		expect(modeOf(path)).toBe(0o755);
	});

	test("a broken link is rejected", () => {
		symlinkSync("nowhere", path);
		expect(() => keepSecrets(path)).toThrow("it is a broken link");
		expect(readdirSync(join(path, ".."))).toEqual(["local-secrets.json"]);
	});
});

test("reading creates nothing", () => {
	expect(readKeptSecrets(path)).toBeUndefined();
	expect(existsSync(join(folder, "state"))).toBe(false);
});

test("the other verbs and dev encode the kept secrets as a profile has them", () => {
	const kept = keepSecrets(path);
	const profile = { signing: { secret: "hex" }, events: { secret: "prefixed_base64" } } as const;
	const { appSecret, webhookSecret } = encodeKeptSecrets(kept, profile);
	expect(Buffer.from(appSecret, "hex").toString()).toBe(kept.appSecret);
	expect(Buffer.from(webhookSecret.replace("whsec_", ""), "base64").toString()).toBe(kept.webhookSecret);
	expect(encodeKeptSecrets(kept, undefined)).toEqual(kept);
});
