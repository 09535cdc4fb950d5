import type { Profile } from "../../catalogue/profile.ts";
import type { SigningForm } from "./signing-form.ts";

/** A module with a profile for a signing form, to paste. A comment names the present parts to keep, which JSON cannot hold. */
export function writeProfileSource(form: SigningForm, present: Profile | undefined): string {
	const choices = Object.entries(form).filter(
		([, choice]) => typeof choice === "string" && choice !== "milliseconds",
	);
	const kept = [
		...(typeof form.canonicalBody === "function" ? ["signing.canonicalBody"] : []),
		...(["vendor", "operations"] as const).filter((part) => present?.[part] !== undefined),
	];
	const lines = [
		'import { defineProfile } from "messaging-gateway";',
		"",
		"export const profile = defineProfile({",
		...(kept.length === 0 ? [] : [`  // Keep ${kept.join(" and ")} of your present profile.`]),
		"  signing: {",
		...choices.map(([name, choice]) => `    ${name}: ${JSON.stringify(choice)},`),
		"  },",
		"});",
		"",
	];
	return lines.join("\n");
}
