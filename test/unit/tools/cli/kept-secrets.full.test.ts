import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmdirSync,
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
import { CommandFailure } from "../../../../src/tools/cli/failure.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
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
});

const INSTEAD = "Set MESSAGING_GATEWAY_APP_SECRET and MESSAGING_GATEWAY_WEBHOOK_SECRET instead.";
const INVALID =
	"FILE contains no valid secrets. Delete it; the next `npx messaging-gateway dev` creates another.";
const NO_FILE = `the secrets in FILE can't be read: it isn't a regular file. ${INSTEAD}`;
const content = (text: string) => () => writeFileSync(path, text, { mode: 0o600 });

/** What stands in the place of the file. */
const UNUSABLE: Outcomes<() => unknown> = {
	[`both: ${INVALID}`]: {
		"an empty file": content(""),
		"a file that is no JSON": content("{"),
		"a list": content("[]"),
		null: content("null"),
		"one secret of two": content('{"appSecret":"a"}'),
		"the other secret of two": content('{"webhookSecret":"a"}'),
		"a secret of whitespace": content('{"appSecret":"a","webhookSecret":" "}'),
		"the other secret of whitespace": content('{"appSecret":" ","webhookSecret":"a"}'),
		"a secret that is a number": content('{"appSecret":1,"webhookSecret":"a"}'),
	},
	[`both: ${NO_FILE}`]: {
		"a folder": () => mkdirSync(path, { mode: 0o755 }),
		"a pipe": () => execFileSync("mkfifo", ["-m", "755", path]),
	},
	[`read: nothing; kept: the secrets can't be written to FILE: it is a broken link. ${INSTEAD}`]: {
		"a broken link": () => symlinkSync("nowhere", path),
	},
	[`read: nothing; kept: the secrets can't be written to FILE: ENOENT: no such file or directory, mkdir 'FOLDER'. ${INSTEAD}`]:
		{
			"a broken link in the place of the folder": () => {
				rmdirSync(join(path, ".."));
				symlinkSync("nowhere", join(path, ".."));
			},
		},
};

/** What is there, with its mode and content. */
const entries = () =>
	readdirSync(folder, { recursive: true }).map((name) => {
		const file = lstatSync(join(folder, String(name)));
		return [name, file.mode, file.isFile() && readFileSync(join(folder, String(name)), "utf8")];
	});

describe("no secrets are read, or written over what is no file of them:", () =>
	testOutcomes(UNUSABLE, (make) => {
		mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
		make();
		const before = entries();
		const [read, kept] = [readKeptSecrets, keepSecrets].map((open) => {
			try {
				return open(path) === undefined ? "nothing" : "secrets";
			} catch (error) {
				if (!(error instanceof CommandFailure)) throw error;
				return `${error.message}. ${error.hint}`.replace(path, "FILE").replace(join(path, ".."), "FOLDER");
			}
		});
		expect(entries()).toEqual(before);
		return read === kept ? `both: ${read}` : `read: ${read}; kept: ${kept}`;
	}));

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
