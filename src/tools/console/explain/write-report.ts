import type { Explanation } from "../../doctor/webhooks/explanation.ts";

/** Writes an explanation as text, to share. Like the explanation, it contains no secret, signature or payload. */
export function writeReport({ isValid, code, findings, checked }: Explanation): string {
	const { headerNames, bodyBytes, hmacs, skipped } = checked;
	return [
		isValid
			? "The delivery is accepted."
			: `The delivery is rejected${code === undefined ? "" : ` with ${code}`}.`,
		...findings.map(({ certainty, cause, message, fix }) => `- ${certainty} (${cause}): ${message} ${fix}`),
		`Checked: ${headerNames.join(", ") || "no headers"}; ${bodyBytes ?? "no"} bytes of raw body; ${hmacs} HMACs.`,
		...skipped,
		"",
	].join("\n");
}
