import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireCommand } from "../../scripts/needed-commands.ts";
import { runCli } from "../support/run-cli.ts";

const NAME = "messaging-gateway";

/** A line that ends where Tab is pressed, and what is offered. */
const LINES: readonly (readonly [line: string, offered: readonly string[]])[] = [
	["d", ["dev", "doctor"]],
	["contact re", ["reply", "react", "read"]],
	["trigger inb", ["inbound_message", "inbound_reaction"]],
	["rules o", ["on", "off"]],
	["certify --to http://localhost --str", ["--strict"]],
	["contact reply --te", ["--text"]],
	["--json dev --forw", ["--forward-to"]],
	["fault webhook d", ["delay"]],
];

/** Completes `line` with the script `file`, one offer in a line. */
const SHELLS: Readonly<Record<string, (file: string, line: string) => string>> = {
	bash: (file, line) => {
		const words = line.split(" ");
		const code = `. '${file}'; COMP_WORDS=(${NAME} ${line}); COMP_CWORD=${words.length}; _messaging_gateway; printf '%s\n' "\${COMPREPLY[@]}"`;
		return execFileSync("bash", ["-c", code], { encoding: "utf8" });
	},
	zsh: (file, line) => {
		const words = line.split(" ");
		const code = `. '${file}'; setopt ksharrays shwordsplit; COMP_WORDS=(${NAME} ${line}); COMP_CWORD=${words.length}; _messaging_gateway; printf '%s\n' "\${COMPREPLY[@]}"`;
		// Zsh itself leaves out what does not begin with the word.
		const offers = execFileSync(requireCommand("zsh"), ["-fc", code], { encoding: "utf8" }).split("\n");
		return offers.filter((offer) => offer.startsWith(words.at(-1) ?? "")).join("\n");
	},
	fish: (file, line) => {
		const code = `source '${file}'; complete -C '${NAME} ${line}'`;
		return execFileSync(requireCommand("fish"), ["-N", "-c", code], { encoding: "utf8" });
	},
};

let folder: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-completion-"));
});

afterAll(() => {
	rmSync(folder, { recursive: true });
});

describe.for(Object.keys(SHELLS))("the script for %s", (shell) => {
	test("offers the verbs, words and flags that can follow", async () => {
		const { code, stdout } = await runCli(["completion", shell]);
		expect(code).toBe(0);
		const file = join(folder, shell);
		writeFileSync(file, stdout);
		const offered = LINES.map(([line]) => SHELLS[shell]?.(file, line).trim().split(/\n/).sort());
		expect(offered).toEqual(LINES.map(([, words]) => [...words].sort()));
	});
});

test("another shell is a wrong use", async () => {
	const { code, stderr } = await runCli(["completion", "tcsh"]);
	expect([code, stderr]).toEqual([2, expect.stringContaining("must be one of bash, zsh, fish")]);
});
