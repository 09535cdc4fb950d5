import type { Profile } from "../../catalogue/profile.ts";
import type { SigningForm } from "./signing-form.ts";

/** A module with the profile that signs in a form, to paste; what JSON cannot hold is named to be kept. */
export function writeProfileSource(form: SigningForm, present: Profile | undefined): string {
	const choices = Object.entries(form).filter(([, choice]) => typeof choice === "string");
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
