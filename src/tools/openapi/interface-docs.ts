import DOCS from "../../../docs/interface-docs.json" with { type: "json" };

/** The comments of interfaces under `Name`, of their fields under `Name.field`, and of the client's classes. */
export const INTERFACE_DOCS: Readonly<Record<string, string>> = Object.fromEntries(
	Object.entries<Readonly<Record<string, string>>>(DOCS).flatMap(([name, texts]) =>
		Object.entries(texts).map(([field, text]) => [field === "" ? name : `${name}.${field}`, text]),
	),
);
