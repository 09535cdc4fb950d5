import type { OperationId } from "../../../library/catalogue/index.ts";
import type { OperationProfile, Profile } from "../../../library/catalogue/profile.ts";
import type { SigningChoices } from "../calls/diagnosis.ts";
import { writeConversion } from "./conversion.ts";
import type { Remedy } from "./findings.ts";

/** What a profile needs so that the calls that were made work. */
export interface ProfileChanges {
	/** The signing that the gateway accepts, if it is another one than that of the present profile. */
	readonly signing: SigningChoices | undefined;
	readonly operations: ReadonlyMap<OperationId, Remedy>;
}

/** The profile that the calls were made with. */
export interface PresentProfile {
	readonly profile: Profile;
	/** The name of its file. */
	readonly file: string;
}

/**
 * A module with the profile to save; `undefined` if nothing changes. It imports the present profile, if there is one, and
 * adds to it: functions cannot be written as source. It is valid as JavaScript and as TypeScript.
 */
export function writeProfile(
	{ signing, operations }: ProfileChanges,
	present: PresentProfile | undefined,
): string | undefined {
	if (signing === undefined && operations.size === 0) return undefined;
	const { duplicates, emptyResponses }: NonNullable<Remedy["profile"]> = Object.assign(
		{},
		...[...operations.values()].map(({ profile }) => profile),
	);
	const changed = [...operations].filter(([, { profile, ...remedy }]) => Object.keys(remedy).length > 0);
	const hasConversions = [...operations.values()].some(({ conversion }) => conversion !== undefined);
	const isPresent = present !== undefined;
	const lines = [
		...(isPresent ? ["// Save this beside your present profile, which it imports and adds to."] : []),
		'import { defineProfile } from "messaging-gateway";',
		...(isPresent ? [writeImport(present.file)] : []),
		"",
		"export const profile = defineProfile({",
		...(isPresent ? ["  ...present,"] : []),
		...(signing === undefined ? [] : writeSigning(signing, isPresent)),
		...(duplicates?.infoPath === null
			? ["  // Ask the gateway's operator whether this code means a duplicate and nothing else."]
			: []),
		...(duplicates === undefined ? [] : [`  duplicates: ${JSON.stringify(duplicates)},`]),
		...(emptyResponses ? ["  emptyResponses: true,"] : []),
		...(hasConversions
			? ["  // Fields were matched by name or value: check them before you rely on them."]
			: []),
		...(changed.length === 0 ? [] : ["  operations: {"]),
		...(changed.length > 0 && isPresent ? ["    ...present.operations,"] : []),
		...changed.flatMap(([id, remedy]) => writeOperation(id, remedy, present?.profile.operations?.[id])),
		...(changed.length === 0 ? [] : ["  },"]),
		"});",
		"",
		"export default profile;",
		"",
	];
	return lines.join("\n");
}

function writeImport(file: string): string {
	const type = file.endsWith(".json") ? ' with { type: "json" }' : "";
	return `import present from ${JSON.stringify(`./${file}`)}${type};`;
}

function writeSigning(signing: SigningChoices, isPresent: boolean): string[] {
	const choices = Object.entries(signing).map(([name, choice]) => `    ${name}: ${JSON.stringify(choice)},`);
	return ["  signing: {", ...(isPresent ? ["    ...present.signing,"] : []), ...choices, "  },"];
}

function writeOperation(id: OperationId, remedy: Remedy, present: OperationProfile | undefined): string[] {
	const { missingMethod, renames, conversion, whenEmpty } = remedy;
	const operation = `present.operations?.[${JSON.stringify(id)}]`;
	const source = present?.response === undefined ? "data" : `${operation}?.response?.decode(data)`;
	const encoded = present?.request === undefined ? undefined : `${operation}?.request?.encode(fields)`;
	const codecs = [
		...(renames !== undefined && present?.request?.decode !== undefined ? ["request.decode"] : []),
		...(conversion !== undefined && present?.response?.encode !== undefined ? ["response.encode"] : []),
	];
	const lines = [
		...(present === undefined ? [] : [`...${operation},`]),
		...(missingMethod
			? ["// Fill in the method and path that the gateway's operator names, and uncomment:"]
			: []),
		...(missingMethod ? [`// method: ${JSON.stringify(missingMethod)}, path: "/…",`] : []),
		...codecs.map(
			(name) => `// A local gateway needs ${name} too: that of your present profile no longer fits.`,
		),
		...(renames === undefined ? [] : [`request: { encode: ${writeRenames(renames, encoded)} },`]),
		...(conversion === undefined
			? []
			: ["response: {", `  decode: ${writeConversion(conversion, "        ", source)},`, "},"]),
		...(whenEmpty === undefined
			? []
			: [`response: { decode: (data) => data ?? ${JSON.stringify(whenEmpty)} },`]),
	];
	return [`    ${JSON.stringify(id)}: {`, ...lines.map((line) => `      ${line}`), "    },"];
}

/**
 * A function for `request.encode` that gives fields their other names.
 * @param encoded - an expression for the fields as the present profile encodes them.
 */
function writeRenames(renames: NonNullable<Remedy["renames"]>, encoded: string | undefined): string {
	const ours = renames.map(([name]) => name).join(", ");
	const theirs = renames.map(([name, other]) => `${other}: ${name}`).join(", ");
	if (encoded === undefined) return `({ ${ours}, ...rest }) => ({ ...rest, ${theirs} })`;
	return `(fields) => { const { ${ours}, ...rest } = Object(${encoded}); return { ...rest, ${theirs} }; }`;
}
