import { describe, expect, test } from "vitest";
import { describePaste, secretSentence } from "../../../../src/library/signing/pasted-secret.ts";

const SECRET = "q7Zb-9_fK2s.w3==";

describe("a secret that was pasted with something else", () => {
	test.each([
		["has a line break in it: remove it", `${SECRET}\r\n`],
		["has whitespace or an invisible character around it: remove it", `\ufeff${SECRET}`],
		["has whitespace or an invisible character around it: remove it", `${SECRET}\u200b`],
		["has a line break in it: remove it", `${SECRET}\n${SECRET}`],
		["has quotes around it: remove them", `"${SECRET}"`],
		["has quotes around it: remove them", `'${SECRET}'`],
		["has quotes around it: remove them", `\`${SECRET}\``],
		[
			"starts with a variable's name and =: pass what comes after the =",
			`MESSAGING_GATEWAY_APP_SECRET=${SECRET}`,
		],
		["starts with a variable's name and =: pass what comes after the =", `export APP_SECRET=${SECRET}`],
		["is the name of a variable that wasn't expanded: pass its value", "\u0024{APP_SECRET}"],
		["is the name of a variable that wasn't expanded: pass its value", "whsec_\u0024{SECRET}"],
		["is the name of a variable that wasn't expanded: pass its value", "$APP_SECRET"],
		["ends with a comment: remove it", `${SECRET} # of staging`],
		["ends with a comment: remove it", `"${SECRET}"  #`],
		["ends with a semicolon: remove it", `${SECRET};`],
		["ends with a semicolon: remove it", `"${SECRET}";`],
		["is a JSON object: pass only the string in it", JSON.stringify({ secret: SECRET })],
		["is a JSON object: pass only the string in it", JSON.stringify({ secret: SECRET }, null, 2)],
		["is empty", ""],
		["is empty", " \u200b\n"],
	])("%s", (problem, secret) => {
		expect(describePaste(secret)).toBe(problem);
	});

	test("is named without the secret", () => {
		const around = [
			`${SECRET}\n`,
			`"${SECRET}"`,
			`APP_SECRET=${SECRET}`,
			`\${${"SECRETS"}}`,
			`${SECRET} # c`,
			`{"s":"${SECRET}"}`,
		];
		for (const secret of around) expect(describePaste(secret)).not.toMatch(/q7Zb|SECRETS/);
	});
});

test.each([
	SECRET,
	"AB_CD==",
	"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
	"two words",
	"C# and F#",
	"p@ss$word",
	"a{b}c",
	"{curly}",
	"?!;$%&;",
	"'tis",
	'"',
	"gehéim",
	"a=b",
])("%j is a secret as it is", (secret) => {
	expect(describePaste(secret)).toBeUndefined();
});

test("invisible characters within a secret cost no more than others", () => {
	// If the cost grew with the square of their number, this would take most of an hour.
	expect(describePaste(`a${" \u200b".repeat(1_000_000)}a`)).toBeUndefined();
});

describe("the sentence for an unusable secret", () => {
	test("says how to set one that is absent", () => {
		for (const problem of ["is missing", "is empty"])
			expect(secretSentence("appSecret", problem, "Set X")).toBe(`appSecret ${problem}. Set X`);
	});

	test("does not say so of one that was set", () => {
		const problem = "has quotes around it: remove them";
		expect(secretSentence("appSecret", problem, "Set X")).toBe(`appSecret ${problem}`);
	});
});
