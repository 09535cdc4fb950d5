import type { CatalogueOperation } from "../../routes.ts";

/** The fields that an input cannot lack, without its target. */
export function neededNames({ input }: CatalogueOperation): string[] {
	const result = input["~standard"].validate({});
	if (result instanceof Promise) return [];
	const names = (result.issues ?? []).flatMap(({ path = [] }) => path.slice(0, 1));
	return names.map((step) => String(typeof step === "object" ? step.key : step));
}
