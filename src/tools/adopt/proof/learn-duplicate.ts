import type { Profile } from "../../../library/catalogue/profile.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { TrialResult } from "./trial-client.ts";

/** What the second of two identical sends shows of how duplicates are reported. */
export interface DuplicateReport {
	/** What the profile says of it; `undefined` if it needs nothing, or only the operator knows. */
	readonly duplicates: Profile["duplicates"];
	readonly sentence: string;
}

/** Reads how a gateway responds to the same text again. */
export function learnDuplicate(result: TrialResult): DuplicateReport | undefined {
	if (result.kind === "failed") return undefined;
	const place = findDuplicateInfo(parse(result.seen.text));
	if (result.kind !== "rejected") {
		const sentence =
			place === undefined
				? "the same text was accepted again: no duplicate was reported"
				: "a duplicate is reported in a success: no error is thrown";
		return { duplicates: undefined, sentence };
	}
	const { seen, code, isDuplicate } = result;
	const got = `the same text again gets ${seen.status}`;
	if (isDuplicate) return { duplicates: undefined, sentence: `${got}, and is a DuplicateMessageError` };
	if (place !== undefined && place !== "" && seen.status < 500)
		return {
			duplicates: { status: seen.status, infoPath: place },
			sentence: `${got}, with its DuplicateInfo at ${place}`,
		};
	// Only the gateway's operator knows whether a code stands for duplicates alone.
	const hint =
		code === undefined || !/^[A-Z_]{1,64}$/.test(code)
			? ""
			: `; if ${code} stands for nothing else, add "duplicates": { "status": ${seen.status}, "code": "${code}", "infoPath": null }`;
	return { duplicates: undefined, sentence: `${got}, and no DuplicateMessageError${hint}` };
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Where an object has fields of DuplicateInfo, as names with dots. */
function findDuplicateInfo(value: unknown, place: readonly string[] = []): string | undefined {
	if (!isJsonObject(value) || place.length > 4) return undefined;
	if (value["isDuplicate"] === true || Object.hasOwn(value, "timeRemaining")) return place.join(".");
	for (const [name, member] of Object.entries(value)) {
		if (!/^(?!.*\d{3})[\w-]+$/.test(name)) continue;
		const found = findDuplicateInfo(member, [...place, name]);
		if (found !== undefined) return found;
	}
	return undefined;
}
