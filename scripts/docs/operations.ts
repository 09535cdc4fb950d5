/** How the documents describe an operation. */
import type { Operation } from "../../src/catalogue/operation.ts";

/** The source of an operation, in a word or two. */
export function describeSource({ provenance, isDataDocumented }: Operation<unknown, unknown>): string {
	if (provenance.kind !== "documented") return "assumed";
	return `**known** (${provenance.section})${isDataDocumented ? "" : "; response assumed"}`;
}

/** The client's methods for an operation, as code. */
export function methodNames({ id, methods }: Operation<unknown, unknown>): string {
	const area = id.slice(0, id.lastIndexOf("."));
	return methods.map((method) => `\`${area}.${method}\``).join(", ");
}
