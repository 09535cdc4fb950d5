import {
	type ExplainWebhookOptions,
	type Explanation,
	explainWebhookFailure,
	type FailureCause,
} from "messaging-gateway/doctor";
import { expect } from "vitest";
import { receiver, webhookSecret } from "../../../support/webhook-delivery.ts";

/** Words that no explanation may hold: they are in every payload of these tests. */
export const privateWords = ["Grüße", "+15551234567"];

/** The payload of these tests, with everything in which JSON writers differ. */
export const payload = { text: "Grüße <b> 😂", from: "+15551234567", attachments: ["a/b"], groupId: null };

export interface GivenDelivery {
	body: unknown;
	headers: unknown;
}

/** Explains a delivery and checks that the explanation holds nothing private. */
export function explain(delivery: GivenDelivery, options: object = {}): Explanation {
	const { body, headers } = delivery;
	const given: ExplainWebhookOptions = { ...receiver(), ...options };
	const explanation = explainWebhookFailure(
		{ body, headers: headers as Record<string, string | string[]> },
		given,
	);
	const json = JSON.stringify(explanation);
	const secrets: unknown[] = [
		given.secret,
		given.appSecret,
		Object.values(given.otherSecrets ?? {}),
		webhookSecret,
	];
	for (const word of [...privateWords, ...secrets.flat()]) {
		// A secret of one space, or the string "undefined", could be in any sentence.
		if (typeof word === "string" && word.length > 5 && word !== "undefined") expect(json).not.toContain(word);
	}
	// No digest of any kind, in hex or in base64, and no part of one.
	expect(json).not.toMatch(/[0-9a-f]{16}/i);
	expect(json).not.toMatch(/[A-Za-z0-9+/]{43}/);
	return explanation;
}

/** The causes of a certainty, in their order. */
export function causes(
	explanation: Explanation,
	certainty: "certain" | "likely" = "certain",
): FailureCause[] {
	return explanation.findings.filter((finding) => finding.certainty === certainty).map(({ cause }) => cause);
}

/** Message and fix of one cause, in one string. */
export function describeCause(explanation: Explanation, cause: FailureCause): string {
	const found = explanation.findings.find((finding) => finding.cause === cause);
	expect(found, `${cause} in ${JSON.stringify(explanation.findings)}`).toBeDefined();
	return `${found?.message} ${found?.fix}`;
}
