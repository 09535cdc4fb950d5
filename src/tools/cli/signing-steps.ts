import { indented } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

/** The steps of a signature; absent ones do not apply. */
export interface SigningSteps {
	readonly canonicalBody?: string;
	readonly bodyHash?: string;
	readonly stringToSign?: string;
	readonly headers?: Readonly<object>;
}

/** Formats the steps for people: titles, with the indented values below them. */
export function describeSteps(terminal: Terminal, steps: SigningSteps): string {
	const { canonicalBody, bodyHash, stringToSign, headers } = steps;
	const headerLines = headers && Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	const parts: (readonly [string, string | undefined])[] = [
		["Canonical body", canonicalBody === "" ? "(none)" : canonicalBody],
		["Body hash (SHA-256)", bodyHash],
		["String to sign", stringToSign],
		["Headers", headerLines?.join("\n")],
	];
	return parts
		.filter((part): part is readonly [string, string] => part[1] !== undefined)
		.map(([title, value]) => `${terminal.paint("bold", title)}\n${indented(value)}`)
		.join("\n\n");
}
