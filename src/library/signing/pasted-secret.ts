/** What is invisible: whitespace, and what has no width. Listed, since not every engine knows `\p{Cf}`. */
const INVISIBLE = /[\s\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f]/g;

/** What a secret looks like that was pasted with something else, and what that is. The first form that fits names it. */
const PASTES: readonly (readonly [form: RegExp, problem: string])[] = [
	[/^\s*\{\s*".*\}\s*$/s, "is a JSON object: pass only the string in it"],
	[/[\r\n]/, "has a line break in it: remove it"],
	// A secret of other marks may have these at its ends.
	[/^(["'`])[\w+/=.-]*\1$/, "has quotes around it: remove them"],
	// The = of base64 stands at its end.
	[
		/^(export )?[A-Z]{2,}(_[A-Z\d]+)+=[^=]/,
		"starts with a variable's name and =: pass what comes after the =",
	],
	[/\$\{\w+\}|^\$[A-Z]{2,}(_[A-Z\d]+)+$/, "is the name of a variable that wasn't expanded: pass its value"],
	[/\s#(\s|$)/, "ends with a comment: remove it"],
	// A secret of other marks may end with this one.
	[/^[\w+/=."'`-]{8,};$/, "ends with a semicolon: remove it"],
];

/** What was pasted with a secret, or instead of it; `undefined` if nothing was. It never contains the secret. */
export function describePaste(secret: string): string | undefined {
	const visible = secret.replace(INVISIBLE, "");
	if (visible === "") return "is empty";
	const isBare = secret.startsWith(visible.slice(0, 1)) && secret.endsWith(visible.slice(-1));
	const around = isBare ? undefined : "has whitespace or an invisible character around it: remove it";
	return PASTES.find(([form]) => form.test(secret))?.[1] ?? around;
}

/**
 * The sentence for an unusable secret.
 * @param name - which secret it is.
 * @param problem - from `readSecretBytes`.
 * @param howToSet - added only if there is none: any other secret was set.
 */
export function secretSentence(name: string, problem: string, howToSet: string): string {
	return `${name} ${problem}${/^is (missing|empty)$/.test(problem) ? `. ${howToSet}` : ""}`;
}
