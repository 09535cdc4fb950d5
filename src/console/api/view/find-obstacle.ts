import type { Connection } from "../call/make-call.ts";
import type { Preparation } from "../call/prepare.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { DraftReading } from "../form/read-draft.ts";

/** What keeps a request from being sent, in a sentence; `undefined` where nothing does. */
export function findObstacle(
	{ isSigned }: ApiOperation,
	{ baseUrl, appId, appSecret }: Connection,
	reading: DraftReading,
	preparation: Preparation | undefined,
	pageOrigin: string,
): string | undefined {
	if (preparation === undefined) return describeGap(reading);
	if ("problem" in preparation) return capitalize(preparation.problem);
	if (new URL(baseUrl).origin !== pageOrigin) {
		return `This page may only call ${pageOrigin}, as its Content-Security-Policy says. The code works anywhere.`;
	}
	if (isSigned && appId === "") return "The App ID is missing.";
	if (isSigned && appSecret === "") return "The App Secret is missing: it signs the call.";
	return undefined;
}

function describeGap({ problems }: DraftReading): string {
	const [first] = Object.entries(problems);
	if (first === undefined) return "The form has a gap.";
	const [key, problem] = first;
	return `${key.slice(key.indexOf(".") + 1)} ${problem}.`;
}

function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
