import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
	CONTROL_TOKEN_VARIABLE,
	chooseControlToken,
	readControlToken,
} from "../../../../src/tools/cli/credentials/control-token.ts";
import { CommandFailure } from "../../../../src/tools/cli/failure.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

/** Where a token may come from. */
interface Sources {
	readonly flag?: string;
	readonly variable?: string;
	/** The content of the file that keeps it. */
	readonly file?: string;
}

/** The token, or the whole error, which never shows one; a file that there is stays as it is. */
function outcomeOf(choose: typeof chooseControlToken, { flag, variable, file }: Sources): string {
	const path = join(temporaryFolder(), "control-token.json");
	vi.stubEnv(CONTROL_TOKEN_VARIABLE, variable);
	if (file !== undefined) writeFileSync(path, file);
	try {
		return choose(flag, path);
	} catch (error) {
		if (!(error instanceof CommandFailure)) throw error;
		const shown = `${error.message}. ${error.hint}`;
		for (const given of [flag, variable]) if (given) expect(shown).not.toContain(given);
		return shown.replace(path, "FILE");
	} finally {
		if (file !== undefined) expect(readFileSync(path, "utf8")).toBe(file);
	}
}

const INVALID: Readonly<Record<string, string>> = {
	"fifteen characters": "fifteen-letters",
	"spaces in it": "with a space in it",
	"base64, whose + and / a URL changes": "k+2/w==k+2/w==k+2/w==",
	"257 characters": "a".repeat(257),
	"a newline at the end": "sixteen-letters\n",
};

const invalid = (source: keyof Sources): Readonly<Record<string, Sources>> =>
	Object.fromEntries(Object.entries(INVALID).map(([what, token]) => [what, { [source]: token }]));

const RULE = "must be 16 to 256 letters, digits, or characters of - . _ ~. A good one: openssl rand -hex 16";
const DAMAGED =
	"FILE contains no valid control token. Delete it; the next `npx messaging-gateway dev` creates another.";
const LONGEST = "a".repeat(256);

const CHOSEN: Outcomes<Sources> = {
	[`--control-token ${RULE}`]: { ...invalid("flag"), "an empty one": { flag: "" } },
	[`${CONTROL_TOKEN_VARIABLE} ${RULE}`]: invalid("variable"),
	"token-of-the-flag": {
		"a flag before the variable": { flag: "token-of-the-flag", variable: "token-of-the-variable" },
	},
	"token-of-the-variable": {
		"a variable before the file": { variable: "token-of-the-variable", file: '"token-of-the-file"' },
	},
	"token-of-the-file": {
		"the file of an earlier start": { file: '"token-of-the-file"\n' },
		"an empty variable, which counts as none": { variable: "", file: '"token-of-the-file"' },
	},
	"sixteen.-_~chars": { "sixteen characters, with each mark": { flag: "sixteen.-_~chars" } },
	[LONGEST]: { "256 characters": { flag: LONGEST } },
	[DAMAGED]: {
		"a file with too short a token": { file: '"short"' },
		"a file with a number": { file: "1234567890123456" },
		"a file that is no JSON": { file: "token-of-the-file" },
		"an empty file": { file: "" },
	},
};

describe("the token that a gateway starts with", () =>
	testOutcomes(CHOSEN, (sources) => outcomeOf(chooseControlToken, sources)));

const READ: Outcomes<Sources> = {
	"token-of-the-flag": {
		"a flag before the variable": { flag: "token-of-the-flag", variable: "token-of-the-variable" },
	},
	"token-of-the-variable": {
		"a variable before the file": { variable: "token-of-the-variable", file: '"token-of-the-file"' },
	},
	"token-of-the-file": { "the file of an earlier start": { file: '"token-of-the-file"\n' } },
	[DAMAGED]: { "a file with too short a token": { file: '"short"' } },
	[`this machine has no control token yet. Start \`npx messaging-gateway dev\`, which creates it, or set the same ${CONTROL_TOKEN_VARIABLE} for that gateway and for this command.`]:
		{ "no token anywhere": {} },
};

describe("the token of another verb", () =>
	testOutcomes(READ, (sources) => outcomeOf(readControlToken, sources)));

test("the first start creates a token, which later starts and verbs have too", () => {
	vi.stubEnv(CONTROL_TOKEN_VARIABLE, undefined);
	const path = join(temporaryFolder(), "control-token.json");
	const token = chooseControlToken(undefined, path);
	expect(token).toMatch(/^[0-9a-f]{32}$/);
	expect([chooseControlToken(undefined, path), readControlToken(undefined, path)]).toEqual([token, token]);
	expect(chooseControlToken(undefined, join(temporaryFolder(), "control-token.json"))).not.toBe(token);
});
