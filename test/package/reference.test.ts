import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VARIABLES } from "../../scripts/docs/environment.ts";
import { OPTIONS } from "../../scripts/docs/options.ts";

/** Exported options without a table of their own, and what shows them. */
const SHOWN_ELSEWHERE: Readonly<Record<string, string>> = {
	LocalClientOptions: "a local gateway makes them, and nobody writes them",
	ReleaseOptions: "part of what a store must do: EventStore",
	RemoteReplyOptions: "ReplyOptions, with files",
	SignedKyOptions: "a choice of ClientOptions",
};

test("docs/options.md has every exported object of options", () => {
	const report = readFileSync("docs/api-report.md", "utf8");
	const exported = Array.from(report.matchAll(/^interface (\w+Options)\b/gm), ([, name = ""]) => name);
	const shown = OPTIONS.flatMap(([, , , ...parts]) => parts.filter((part) => typeof part === "string"));
	expect([...new Set(exported)].filter((name) => !shown.includes(name)).sort()).toEqual(
		Object.keys(SHOWN_ELSEWHERE),
	);
});

test("docs/environment.md has every variable of the package that the code reads", () => {
	const code = globSync("src/{library,tools}/**/*.{ts,tsx}").map((path) => readFileSync(path, "utf8"));
	const read = new Set(code.join("\n").match(/\bMESSAGING_GATEWAY_\w+/g));
	const listed = VARIABLES.map(({ name }) => name).filter((name) => name.startsWith("MESSAGING_GATEWAY_"));
	expect([...read].sort()).toEqual([...listed].sort());
});
