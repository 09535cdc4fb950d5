import type { OperationId } from "../../catalogue/index.ts";
import type { OperationProfile, Profile } from "../../catalogue/profile.ts";
import type { SigningChoices } from "../calls/diagnosis.ts";
import { writeConversion } from "./conversion.ts";
import type { Remedy } from "./findings.ts";

/** What a profile needs so that the calls that were made work. */
export interface ProfileChanges {
	/** The signing that the gateway accepts, if it is another one than that of the present profile. */
	readonly signing: SigningChoices | undefined;
	readonly operations: ReadonlyMap<OperationId, Remedy>;
}

/** A module with the profile to paste; `undefined` if nothing changes. It is valid as JavaScript and as TypeScript. */
export function writeProfile(
	{ signing, operations }: ProfileChanges,
	present: Profile | undefined,
): string | undefined {
	if (signing === undefined && operations.size === 0) return undefined;
	const { duplicates, emptyResponses }: NonNullable<Remedy["profile"]> = Object.assign(
		{},
		...[...operations.values()].map(({ profile }) => profile),
	);
	const changed = [...operations].filter(([, { profile, ...remedy }]) => Object.keys(remedy).length > 0);
	const kept = [
		...(present?.vendor === undefined ? [] : ["vendor"]),
		...(signing !== undefined || present?.signing === undefined ? [] : ["signing"]),
		...(present?.operations === undefined ? [] : ["the other operations"]),
		...(duplicates !== undefined || present?.duplicates === undefined ? [] : ["duplicates"]),
		...(present?.limits === undefined ? [] : ["limits"]),
		...(emptyResponses || !present?.emptyResponses ? [] : ["emptyResponses"]),
	];
	const hasConversions = [...operations.values()].some(({ conversion }) => conversion !== undefined);
	const lines = [
		'import { defineProfile } from "messaging-gateway";',
		"",
		"export const profile = defineProfile({",
		...(kept.length === 0 ? [] : [`  // Keep ${kept.join(", ")} of your present profile.`]),
		...(signing === undefined ? [] : writeSigning(signing)),
		...(duplicates?.infoPath === null
			? ["  // Ask the gateway's operator whether this code means a duplicate and nothing else."]
			: []),
		...(duplicates === undefined ? [] : [`  duplicates: ${JSON.stringify(duplicates)},`]),
		...(emptyResponses ? ["  emptyResponses: true,"] : []),
		...(hasConversions
			? ["  // Fields were matched by name or value: check them before you rely on them."]
			: []),
		...(changed.length === 0 ? [] : ["  operations: {"]),
		...changed.flatMap(([id, remedy]) => writeOperation(id, remedy, present?.operations?.[id])),
		...(changed.length === 0 ? [] : ["  },"]),
		"});",
		"",
		"export default profile;",
		"",
	];
	return lines.join("\n");
}

function writeSigning(signing: SigningChoices): string[] {
	const choices = Object.entries(signing).map(([name, choice]) => `    ${name}: ${JSON.stringify(choice)},`);
	return ["  signing: {", ...choices, "  },"];
}

function writeOperation(id: OperationId, remedy: Remedy, present: OperationProfile | undefined): string[] {
	const { missingMethod, renames, conversion, whenEmpty } = remedy;
	const { method, path } = present ?? {};
	const lines = [
		...(missingMethod
			? ["// Fill in the method and path that the gateway's operator names, and uncomment:"]
			: []),
		...(missingMethod ? ['// method: "POST", path: "/…",'] : []),
		...(method === undefined || missingMethod !== undefined ? [] : [`method: ${JSON.stringify(method)},`]),
		...(path === undefined || missingMethod !== undefined ? [] : [`path: ${JSON.stringify(path)},`]),
		...(present?.request === undefined ? [] : ["// Keep what request of your present profile does."]),
		...(renames === undefined ? [] : [`request: { encode: ${writeRenames(renames)} },`]),
		...(conversion === undefined
			? []
			: ["response: {", `  decode: ${writeConversion(conversion, "        ")},`, "},"]),
		...(whenEmpty === undefined
			? []
			: [`response: { decode: (data) => data ?? ${JSON.stringify(whenEmpty)} },`]),
	];
	return [`    ${JSON.stringify(id)}: {`, ...lines.map((line) => `      ${line}`), "    },"];
}

/** A function for `request.encode` that gives fields their other names. */
function writeRenames(renames: NonNullable<Remedy["renames"]>): string {
	const ours = renames.map(([name]) => name).join(", ");
	const theirs = renames.map(([name, other]) => `${other}: ${name}`).join(", ");
	return `({ ${ours}, ...rest }) => ({ ...rest, ${theirs} })`;
}
