import { execFile, execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keepSecrets, readKeptSecrets } from "../../../src/cli/credentials/kept-secrets.ts";

const run = promisify(execFile);

let folder: string;
let path: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-secrets-"));
	path = join(folder, "state", "messaging-gateway", "local-secrets.json");
});

afterEach(() => {
	rmSync(folder, { recursive: true });
});

const modeOf = (file: string): number => statSync(file).mode & 0o777;

describe("the first start", () => {
	test("makes two secrets that nobody can guess, for their owner alone", () => {
		const { appSecret, webhookSecret } = keepSecrets(path);
		expect(appSecret).toMatch(/^local-app-[0-9a-f]{48}$/);
		expect(webhookSecret).toMatch(/^local-webhook-[0-9a-f]{48}$/);
		expect(appSecret.slice(-48)).not.toBe(webhookSecret.slice(-48));
		expect([path, join(path, ".."), join(folder, "state")].map(modeOf)).toEqual([0o600, 0o700, 0o700]);
		expect(readdirSync(join(path, ".."))).toEqual(["local-secrets.json"]);
	});

	test("on another machine makes others", () => {
		const [one, other] = [keepSecrets(path), keepSecrets(join(folder, "other", "secrets.json"))];
		expect(one.appSecret).not.toBe(other.appSecret);
		expect(one.webhookSecret).not.toBe(other.webhookSecret);
	});

	test("closes a folder of ours that is open to others", () => {
		mkdirSync(join(path, ".."), { recursive: true, mode: 0o755 });
		keepSecrets(path);
		expect(modeOf(join(path, ".."))).toBe(0o700);
	});

	test("agrees with others that start at the same moment", async () => {
		const module = new URL("../../../src/cli/credentials/kept-secrets.ts", import.meta.url).href;
		const script = `import { keepSecrets } from ${JSON.stringify(module)};
			console.log(JSON.stringify(keepSecrets(${JSON.stringify(path)})));`;
		const starts = Array.from({ length: 6 }, () =>
			run(process.execPath, ["--input-type=module", "-e", script]),
		);
		const secrets = (await Promise.all(starts)).map(({ stdout }) => stdout.trim());
		expect(new Set(secrets)).toEqual(new Set([JSON.stringify(readKeptSecrets(path))]));
	});

	test("in a folder that cannot be written says which variables to set", () => {
		writeFileSync(join(folder, "state"), "a file");
		expect(() => keepSecrets(path)).toThrow(
			expect.objectContaining({ hint: expect.stringContaining("MESSAGING_GATEWAY_APP_SECRET") }),
		);
	});
});

describe("after it", () => {
	test("the secrets stay the same", () => {
		const secrets = keepSecrets(path);
		expect(keepSecrets(path)).toEqual(secrets);
		expect(readKeptSecrets(path)).toEqual(secrets);
	});

	test("the folder need not be writable", () => {
		const secrets = keepSecrets(path);
		const before = statSync(join(path, ".."), { bigint: true }).ctimeNs;
		expect(keepSecrets(path)).toEqual(secrets);
		expect(statSync(join(path, ".."), { bigint: true }).ctimeNs).toBe(before);
	});

	test("a file that became readable for others is taken from them", () => {
		const secrets = keepSecrets(path);
		chmodSync(path, 0o644);
		expect(readKeptSecrets(path)).toEqual(secrets);
		expect(modeOf(path)).toBe(0o600);
	});

	test.each(["", "{", "[]", '{"appSecret":"a"}', '{"appSecret":"a","webhookSecret":" "}', '{"appSecret":1}'])(
		"a file that holds %j is told, and left as it is",
		(content) => {
			mkdirSync(join(path, ".."), { recursive: true });
			writeFileSync(path, content, { mode: 0o600 });
			expect(() => readKeptSecrets(path)).toThrow(`${path} holds no local secrets`);
			expect(() => keepSecrets(path)).toThrow(`${path} holds no local secrets`);
			expect(readFileSync(path, "utf8")).toBe(content);
		},
	);
});

describe("where the file should be", () => {
	beforeEach(() => mkdirSync(join(path, ".."), { recursive: true }));

	test.each<[string, () => unknown]>([
		["a folder", () => mkdirSync(path)],
		["a pipe", () => execFileSync("mkfifo", [path])],
	])("%s is told, and keeps its mode", (_what, make) => {
		make();
		chmodSync(path, 0o755);
		expect(() => readKeptSecrets(path)).toThrow("it is no file");
		expect(() => keepSecrets(path)).toThrow("it is no file");
		expect(modeOf(path)).toBe(0o755);
	});

	test("a link that leads nowhere is told", () => {
		symlinkSync("nowhere", path);
		expect(() => keepSecrets(path)).toThrow("it is a link that leads nowhere");
		expect(readdirSync(join(path, ".."))).toEqual(["local-secrets.json"]);
	});
});

test("reading makes nothing", () => {
	expect(readKeptSecrets(path)).toBeUndefined();
	expect(existsSync(join(folder, "state"))).toBe(false);
});
