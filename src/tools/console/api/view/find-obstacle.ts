import type { Connection } from "../call/make-call.ts";
import type { Preparation } from "../call/prepare.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { DraftReading } from "../form/read-draft.ts";

/** Explains why the request cannot be sent, in a sentence; `undefined` if it can. */
export function findObstacle(
	{ isSigned }: ApiOperation,
	{ appId, appSecret }: Connection,
	reading: DraftReading,
	preparation: Preparation | undefined,
): string | undefined {
	if (preparation === undefined) return describeGap(reading);
	if ("problem" in preparation) return capitalize(preparation.problem);
	if (isSigned && appId === "") return "The App ID is missing.";
	if (isSigned && appSecret === "") return "The App Secret is missing. It signs the call.";
	return undefined;
}

function describeGap({ problems }: DraftReading): string {
	const [first] = Object.entries(problems);
	if (first === undefined) return "The form is incomplete.";
	const [key, problem] = first;
	return `${key.slice(key.indexOf(".") + 1)} ${problem}.`;
}

function capitalize(sentence: string): string {
	return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
