/** How the documents describe an operation. */
import type { OperationId } from "../../src/library/catalogue/index.ts";
import type { Operation } from "../../src/library/catalogue/operation.ts";
import { docsOf } from "../../src/library/catalogue/operation-docs.ts";

type Described = Pick<Operation<unknown, unknown, OperationId>, "id" | "isDataDocumented">;

/** The source of an operation, in a word or two. */
export function describeSource({ id, isDataDocumented }: Described): string {
	const { section } = docsOf(id);
	return section === undefined
		? "assumed"
		: `**known** (${section})${isDataDocumented ? "" : "; response assumed"}`;
}

/** The client's methods for an operation, as code, and its id if no method has that name. */
export function methodNames({ id }: Pick<Described, "id">): string {
	const area = id.slice(0, id.lastIndexOf("."));
	const methods = docsOf(id).methods.map((method) => `${area}.${method}`);
	const named = methods.map((method) => `\`${method}\``).join(", ");
	return methods.includes(id) ? named : `${named} (\`${id}\` in a profile)`;
}
