import { namesPath } from "../../../library/catalogue/known-path.ts";
import type { RequestMap } from "../../../library/catalogue/operation-map.ts";
import type { FieldError } from "../../../library/errors.ts";
import type { CatalogueOperation } from "../../routes.ts";
import { namesOfField } from "../plan/field-names.ts";
import type { PlannedOperation } from "../plan/plan-types.ts";
import { OPTIONAL } from "../plan/same-names.ts";
import { joined } from "../plan/words.ts";

/** The fields that a rejection may name. Nobody else gets a message if one of them has another name. */
const FIELDS = ["to", "text", "messageGuid", "reaction", "action", "state"];

/**
 * Gives fields the names that a rejection misses: `toNumber` is required, and `to` was sent.
 * @returns `undefined` if it names nothing that is clearly one of our fields.
 */
export function renameFields(
	operation: CatalogueOperation,
	planned: PlannedOperation,
	errors: readonly FieldError[],
): PlannedOperation | undefined {
	const { profile = {} } = planned;
	const isOfFiles = ["attachment", "attachments"].some((name) => namesPath(operation.input, name));
	// A map that lacks a field rejects it: files have more places than names.
	if (profile.routes !== undefined || (isOfFiles && profile.map?.request === undefined)) return undefined;
	const request: Record<string, RequestMap[string]> = {
		...(profile.map?.request ?? ownNames(operation)),
	};
	let isRenamed = false;
	for (const { field } of errors) {
		const wanted = String(field).replace(/^body\./, "");
		if (!/^[\w-]{1,64}(\.[\w-]{1,64})*$/.test(wanted) || Object.hasOwn(request, wanted)) continue;
		const key = joined(wanted.split(".").at(-1) ?? "");
		const ours = FIELDS.filter(
			(name) =>
				namesPath(operation.input, name) &&
				namesOfField(name)
					.names.slice(0, 2)
					.some((tier) => tier.includes(key)),
		);
		const [name] = ours;
		const place = Object.keys(request).find((each) => request[each] === name && !/[?{:]/.test(each));
		if (ours.length !== 1 || name === undefined || place === undefined) continue;
		delete request[place];
		request[wanted] = name;
		isRenamed = true;
	}
	if (!isRenamed) return undefined;
	return { ...planned, profile: { ...profile, map: { ...profile.map, request } } };
}

/** The fields of an operation in their own places. */
function ownNames({ input, wireNames }: CatalogueOperation): RequestMap {
	const names: Readonly<Record<string, string>> = wireNames;
	return Object.fromEntries(
		[...new Set([...FIELDS, ...OPTIONAL])]
			.filter((field) => namesPath(input, field))
			.map((field) => [names[field] ?? field, field]),
	);
}
