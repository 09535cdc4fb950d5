/** How the documents speak of an operation. */
import type { Operation } from "../../src/catalogue/operation.ts";

/** What the documentation of an operation says of its source, in a word or two. */
export function describeSource({ provenance, isDataDocumented }: Operation<unknown, unknown>): string {
	if (provenance.kind !== "documented") return "assumed";
	return `**known** (${provenance.section})${isDataDocumented ? "" : "; answer assumed"}`;
}

/** The client's methods for an operation, as code. */
export function methodNames({ id, methods }: Operation<unknown, unknown>): string {
	const area = id.slice(0, id.lastIndexOf("."));
	return methods.map((method) => `\`${area}.${method}\``).join(", ");
}
