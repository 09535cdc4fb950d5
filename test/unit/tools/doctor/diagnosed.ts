import { createContext, runInContext } from "node:vm";
import { defineProfile, type Profile } from "messaging-gateway";
import type { Diagnosis } from "messaging-gateway/doctor";
import { canonicalize } from "messaging-gateway/signing";
import ts from "typescript";

/** What was found, in order. */
export function causesOf({ findings }: Diagnosis): string[] {
	return findings.map(({ cause }) => cause);
}

/** What was tried, and how each ended. */
export function triedBy({ checks }: Diagnosis): string[] {
	return checks.map(({ probe, outcome }) => `${probe} ${outcome}`);
}

/**
 * The profile that a source makes once it is pasted and run.
 * @param present - the profile that a source beside it imports.
 */
export function runProfileSource(source: string | undefined, present?: Profile): Profile {
	const { outputText } = ts.transpileModule(source ?? "", {
		compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
	});
	const exports: { profile?: Profile } = {};
	const require = (name: string) => {
		if (name.startsWith("./") && present !== undefined) return { __esModule: true, default: present };
		if (name === "messaging-gateway/signing") return { canonicalize };
		if (name !== "messaging-gateway") throw new Error(`the source imports ${name}`);
		return { defineProfile };
	};
	runInContext(outputText, createContext({ exports, require }));
	if (exports.profile === undefined) throw new Error("the source exports no profile");
	return exports.profile;
}
