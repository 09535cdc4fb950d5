import type { Explanation } from "../../webhooks/explain/explanation.ts";

/** An explanation as text, for an issue or a colleague. Like the explanation, it holds no secret, signature or payload. */
export function writeReport({ isValid, code, findings, checked }: Explanation): string {
	const { headerNames, bodyBytes, hmacs, skipped } = checked;
	return [
		isValid
			? "The delivery is accepted."
			: `The delivery is refused${code === undefined ? "" : ` with ${code}`}.`,
		...findings.map(({ certainty, cause, message, fix }) => `- ${certainty} (${cause}): ${message} ${fix}`),
		`Looked at: ${headerNames.join(", ") || "no headers"}; ${bodyBytes ?? "no"} bytes of raw body; ${hmacs} HMACs.`,
		...skipped,
		"",
	].join("\n");
}
