import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../../../../src/tools/cli/program.ts";

/** The help of a command and of all commands below it, by their names. */
function helpOf(command: Command, path = ""): [name: string, help: string][] {
	let help = "";
	command.configureOutput({ writeOut: (part) => (help += part) }).outputHelp();
	const name = `${path} ${command.name()}`.trim();
	return [[name, help], ...command.commands.flatMap((part) => helpOf(part, name))];
}

const PROGRAM = createProgram(() => async () => undefined);
const HELP = helpOf(PROGRAM);

test.each(HELP)("%s has help of at most 80 columns", (_name, help) => {
	expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test.each(HELP)("%s speaks of flags, not of the library's options", (_name, help) => {
	expect(help).not.toMatch(/\b(baseUrl|appId|appSecret|probeBody|gatewayMessage|profileSource)\b|\(\)/);
});

test("every verb has an example", () => {
	const without = PROGRAM.commands.filter((verb) => {
		const own = HELP.filter(([name]) => name.startsWith(`messaging-gateway ${verb.name()}`));
		return !own.some(
			([, help]) =>
				help.includes(`$ npx messaging-gateway ${verb.name()}`) || help.includes(` ${verb.name()} `),
		);
	});
	expect(without.map((verb) => verb.name())).toEqual([]);
});

test("the verbs are twenty, in groups", () => {
	const [[, help = ""] = []] = HELP;
	const groups = [...help.matchAll(/^([A-Z][^:\n]+):\n((?: {2,}\S.*\n)+)/gm)];
	const verbs = groups.map(([, title, lines = ""]) => [
		title,
		[...lines.matchAll(/^ {2}([a-z]+)/gm)].map(([, verb]) => verb),
	]);
	expect(verbs.slice(1, -1)).toEqual([
		["Run a gateway on this machine", ["dev", "env", "mcp", "completion"]],
		["Be the application", ["send", "call"]],
		["Be the contact", ["contact"]],
		["See and steer the local gateway", ["log", "wait", "fault", "rules", "clock"]],
		["Sign and verify", ["sign", "verify", "listen", "trigger"]],
		["Find out why", ["doctor", "adopt", "replay", "certify"]],
	]);
});
