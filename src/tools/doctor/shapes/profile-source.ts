import type { OperationId } from "../../../library/catalogue/index.ts";
import type { OperationProfile, Profile } from "../../../library/catalogue/profile.ts";
import { type BodyForm, writeBodyFormSource } from "../calls/body-form.ts";
import type { SigningChoices } from "../calls/diagnosis.ts";
import type { ProfileChange } from "./comparison.ts";

/** What a profile needs so that the calls that were made work. */
export interface ProfileChanges {
	/** The signing that the gateway accepts, if it is another one than that of the present profile. */
	readonly signing: SigningChoices | undefined;
	/** The form of bodies that it accepts, if only a function can write it. */
	readonly bodyForm?: BodyForm | undefined;
	readonly operations: ReadonlyMap<OperationId, ProfileChange>;
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
	{ signing, bodyForm, operations }: ProfileChanges,
	present: PresentProfile | undefined,
): string | undefined {
	if (signing === undefined && operations.size === 0) return undefined;
	const { duplicates, emptyResponses }: NonNullable<ProfileChange["profile"]> = Object.assign(
		{},
		...[...operations.values()].map(({ profile }) => profile),
	);
	const changed = [...operations].filter(([, { profile, ...remedy }]) => Object.keys(remedy).length > 0);
	const isPresent = present !== undefined;
	const body = signing && bodyForm && writeBodyFormSource(bodyForm);
	const file = JSON.stringify(`./${present?.file}`);
	const type = present?.file.endsWith(".json") ? ' with { type: "json" }' : "";
	return [
		...linesIf(isPresent, "// Save this beside your present profile, which it imports and adds to."),
		'import { defineProfile } from "messaging-gateway";',
		...(body?.import === undefined ? [] : [body.import]),
		...linesIf(isPresent, `import present from ${file}${type};`),
		"",
		"export const profile = defineProfile({",
		...linesIf(isPresent, "  ...present,"),
		...linesIf(
			signing !== undefined,
			"  signing: {",
			...linesIf(isPresent, "    ...present.signing,"),
			...Object.entries(signing ?? {})
				.filter(([name]) => body === undefined || name !== "canonicalBody")
				.map(([name, choice]) => `    ${name}: ${JSON.stringify(choice)},`),
			...(body?.lines ?? []).map((line) => `    ${line}`),
			"  },",
		),
		...linesIf(
			duplicates?.infoPath === null,
			"  // Ask the gateway's operator whether this code means a duplicate and nothing else.",
		),
		...linesIf(duplicates !== undefined, `  duplicates: ${JSON.stringify(duplicates)},`),
		...linesIf(emptyResponses === true, "  emptyResponses: true,"),
		...linesIf(
			changed.length > 0,
			"  operations: {",
			...linesIf(isPresent, "    ...present.operations,"),
			...changed.flatMap(([id, remedy]) => writeOperation(id, remedy, present?.profile.operations?.[id])),
			"  },",
		),
		"});",
		"",
		"export default profile;",
		"",
	].join("\n");
}

function linesIf(isTrue: boolean, ...lines: readonly string[]): readonly string[] {
	return isTrue ? lines : [];
}

function writeOperation(
	id: OperationId,
	remedy: ProfileChange,
	present: OperationProfile | undefined,
): string[] {
	const { missingMethod, whenEmpty } = remedy;
	const operation = `present.operations?.[${JSON.stringify(id)}]`;
	const lines = [
		...linesIf(present !== undefined, `...${operation},`),
		...linesIf(
			missingMethod !== undefined,
			"// Fill in the method and path that the gateway's operator names, and uncomment:",
			`// method: ${JSON.stringify(missingMethod)}, path: "/…",`,
		),
		...linesIf(
			whenEmpty !== undefined,
			`response: { decode: (data) => data ?? ${JSON.stringify(whenEmpty)} },`,
		),
	];
	return [`    ${JSON.stringify(id)}: {`, ...lines.map((line) => `      ${line}`), "    },"];
}
