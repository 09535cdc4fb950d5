import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AGENT_NUMBER } from "../support/foreign-account.ts";
import {
	FOREIGN_APP,
	FOREIGN_SECRET,
	type ForeignGateway,
	type ForeignGatewayOptions,
	startForeignGateway,
} from "../support/foreign-gateway.ts";
import { runCli } from "../support/run-cli.ts";

const TO = "+15551239876";

let folder: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-compare-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

const OTHER: ForeignGatewayOptions = {
	mapping: "present",
	shapes: { names: "short", nesting: "deep", ids: "number", agents: "items" },
};

function environmentOf({ baseUrl }: ForeignGateway): Record<string, string> {
	return {
		MESSAGING_GATEWAY_BASE_URL: baseUrl,
		MESSAGING_GATEWAY_APP_ID: FOREIGN_APP,
		MESSAGING_GATEWAY_APP_SECRET: FOREIGN_SECRET,
	};
}

/** A profile as a user pastes it, into a folder where the package is not installed. */
function paste(source: string, name = "profile.mjs"): string {
	const path = join(folder, name);
	const installed = source
		.replace(/^import .* from "messaging-gateway";$/m, "const defineProfile = (profile) => profile;")
		.replace(
			'"messaging-gateway/signing"',
			JSON.stringify(import.meta.resolve("../../dist/signing/index.js")),
		);
	writeFileSync(path, installed);
	return path;
}

describe("without --to", () => {
	test("it only reads", async () => {
		await using gateway = await startForeignGateway({ mapping: "present", shapes: {} });
		const { code, stdout } = await runCli(["doctor", "--shapes", "--only", "mappings.get", "agents.list"], {
			env: environmentOf(gateway),
		});
		expect(stdout).toContain("fits    mappings.get: GET /mapping/{toNumber} 200");
		expect(code).toBe(0);
		const withSend = ["doctor", "--shapes", "--only", "mappings.get", "messages.sendText"];
		expect((await runCli(withSend, { env: environmentOf(gateway) })).code).toBe(3);
		const all = await runCli(["doctor", "--shapes"], { env: environmentOf(gateway) });
		expect(all.stdout).toContain("No send was tried: --to NUMBER sends real messages");
		// It lacks some of the assumed operations.
		expect(all.code).toBe(1);
		expect(gateway.sent()).toBe(0);
		expect(new Set(gateway.seen.map(({ method }) => method))).toEqual(new Set(["GET"]));
	});
});

describe("with --to", () => {
	test("without a confirmation nothing is requested, exit code 2", async () => {
		await using gateway = await startForeignGateway(OTHER);
		for (const more of [[], ["--json"]]) {
			const { code, stdout, stderr } = await runCli(["doctor", "--shapes", "--to", TO, ...more], {
				env: environmentOf(gateway),
			});
			expect(code).toBe(2);
			expect(stdout + stderr).toContain("Confirm with --yes");
		}
		expect(gateway.seen).toEqual([]);
	});

	test("with --yes it sends, says what differs, and its profile is accepted when it is run again", async () => {
		await using gateway = await startForeignGateway({ ...OTHER, signedPath: "decoded" });
		const env = environmentOf(gateway);
		const file = join(folder, "responses.json");
		const only = ["--only", "messages.sendText", "messages.get", "agents.list"];
		const first = await runCli(["doctor", "--shapes", "--to", TO, "--yes", "--record", file, ...only], {
			env,
		});
		expect(first.code).toBe(1);
		expect(first.stdout).toContain("signed calls are accepted in another form than that of your profile");
		expect(first.stdout).toContain("differs messages.sendText: POST /message/text 202 assumed");
		expect(first.stdout).toContain("message.from is called sender");
		expect(first.stdout).toContain("1 fit, 3 differ, 0 unseen");
		expect(gateway.sent()).toBe(1);

		const recorded = readFileSync(file, "utf8");
		const { comparisons, profileSource } = JSON.parse(recorded);
		expect(comparisons.length).toBe(4);
		for (const output of [recorded, first.stdout]) {
			expect(output).not.toContain(TO.slice(1));
			expect(output).not.toContain(AGENT_NUMBER.slice(1));
			expect(output).not.toContain(FOREIGN_SECRET);
			expect(output).not.toContain(FOREIGN_APP);
			expect(output).not.toMatch(/messaging-gateway doctor, \d/);
		}
		expect(recorded).not.toContain(gateway.baseUrl);

		const again = await runCli(
			["doctor", "--shapes", "--to", TO, "--yes", "--profile", paste(profileSource), ...only],
			{ env },
		);
		expect(again.stdout).toContain("signed calls with and without a body are accepted");
		expect(again.stdout).not.toContain("The profile for this gateway");
	});
});

test("a form of bodies that only a function writes is used for the sends, and is in the profile to save", async () => {
	await using gateway = await startForeignGateway({ ...OTHER, canonical: "emoji" });
	const env = environmentOf(gateway);
	const args = ["--to", TO, "--yes", "--only", "messages.sendText"];
	const first = await runCli(["doctor", "--shapes", ...args], { env });
	expect(first.stdout).toContain("differs messages.sendText: POST /message/text 202");
	expect(gateway.sent()).toBe(1);
	const profileSource = /^import .*^export default profile;$/ms.exec(first.stdout)?.[0] ?? "";
	expect(profileSource).toContain("// Bodies with 👋 as \\uD83D\\uDC4B.");
	const again = await runCli(["doctor", "--probe-body", "--profile", paste(profileSource)], { env });
	expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("\nHealthy: ")]);
});

test("the profile to save imports the present one, whose names are not in the file to share", async () => {
	const path = "/accounts/7654321/messages";
	await using gateway = await startForeignGateway({ shapes: { path, duplicate: "top" } });
	const profile = paste(
		`import { defineProfile } from "messaging-gateway";\nexport default defineProfile({ operations: { "messages.sendText": { path: "${path}" } } });`,
		"account-7654321.mjs",
	);
	const file = join(folder, "shared.json");
	const args = ["--to", TO, "--yes", "--only", "messages.sendText", "--profile", profile, "--record", file];
	const { code, stdout } = await runCli(["doctor", "--shapes", ...args], { env: environmentOf(gateway) });
	expect(code).toBe(1);
	expect(stdout).toContain(`import present from "./${basename(profile)}";`);
	const recorded = readFileSync(file, "utf8");
	expect(recorded).toContain("POST");
	expect(recorded).toContain("infoPath");
	expect(recorded).not.toContain("7654321");
	expect(recorded).not.toContain(basename(profile));
});

test("what the doctor finds comes first: without accepted signatures nothing is compared", async () => {
	await using gateway = await startForeignGateway({ ...OTHER, secret: "another secret" });
	const { code, stdout } = await runCli(["doctor", "--shapes"], { env: environmentOf(gateway) });
	expect(code).toBe(1);
	expect(stdout).toContain("the doctor found this:");
	expect(stdout).not.toContain("agents.list");
});

test.each([
	[["--to", "5551234567"], "--to must be an e-mail address, a short code"],
	[["--only", "agents.lst"], "--only: agents.lst is not an operation"],
	[["--only", "agents.block"], "--only: agents.block changes the account, and is never called here"],
])("%j is a usage error", async (args, message) => {
	const { code, stderr } = await runCli(["doctor", "--shapes", ...args], {
		env: { MESSAGING_GATEWAY_APP_SECRET: "s" },
	});
	expect(stderr).toContain(message);
	expect(code).toBe(2);
});
