import type { ResponseMap } from "../../../library/catalogue/operation-map.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { readSteps, valueAtSteps } from "../../../library/maps/wire-path.ts";
import type { CatalogueOperation } from "../../routes.ts";
import { isPhone, isPhoneField, timeUnitOf } from "../plan/plausible.ts";
import { RESULT_SHAPES } from "../plan/result-names.ts";

/** A value of a response that no field of ours was taken from. */
interface Rest {
	readonly path: string;
	readonly value: unknown;
}

const MAX_DEPTH = 3;

/**
 * Why a response that can be read proves nothing: another number stands beside the one that was taken, or a field was
 * filled with a constant though the gateway sent something that it may be.
 */
export function findDoubt(
	operation: CatalogueOperation,
	map: ResponseMap | undefined,
	data: unknown,
): string | undefined {
	if (map === undefined) return undefined;
	const item = itemOf(operation, map, data);
	const places = Object.values(map.fields).flatMap((field) =>
		typeof field === "string" ? [field] : "at" in field ? [field.at] : [],
	);
	const rest = restOf(item, "", places, 0);
	const taken = places.map((place) => valueAtSteps(item, readSteps(place) ?? []));
	for (const [path, field] of Object.entries(map.fields)) {
		const name = path.split(".").at(-1) ?? path;
		if (typeof field === "string") {
			const isOther = ({ value }: Rest): boolean => isPhone(value) && !taken.includes(value);
			const other = field !== path && isPhoneField(name) ? rest.find(isOther) : undefined;
			if (other !== undefined) return `${nameOf(other)} has another number than ${name}`;
		} else if ("value" in field) {
			const type = RESULT_SHAPES[operation.id]?.fields[name]?.type;
			const other = rest.find(({ value }) => mayBe(type, value));
			if (other !== undefined) return `${name} may be ${nameOf(other)}`;
		}
	}
	return undefined;
}

function itemOf(
	{ pageItems }: CatalogueOperation,
	{ root = "", list = "" }: ResponseMap,
	data: unknown,
): unknown {
	const base = valueAtSteps(data, readSteps(root) ?? []);
	if (pageItems === undefined) return base;
	const items = valueAtSteps(base, readSteps(list) ?? []);
	return Array.isArray(items) ? items[0] : undefined;
}

/** The values that none of these places is, nor is in; an object of which a part was taken is none. */
function restOf(value: unknown, path: string, places: readonly string[], depth: number): Rest[] {
	if (!isJsonObject(value) || depth > MAX_DEPTH) return [];
	return Object.entries(value).flatMap(([name, member]) => {
		const at = path === "" ? name : `${path}.${name}`;
		if (places.includes(at)) return [];
		const isTaken = places.some((place) => place.startsWith(`${at}.`));
		return [...(isTaken ? [] : [{ path: at, value: member }]), ...restOf(member, at, places, depth + 1)];
	});
}

function mayBe(type: string | undefined, value: unknown): boolean {
	if (type === "list") return Array.isArray(value) && value.length > 0;
	if (type === "object")
		return isJsonObject(value) && Object.values(value).some((each) => typeof each === "number");
	if (type === "time") return timeUnitOf(value) !== undefined;
	return type === "number" && typeof value === "number" && timeUnitOf(value) === undefined;
}

/** A name may be a number. */
function nameOf({ path }: Rest): string {
	return /^[a-z_@][\w.@:-]*$/i.test(path) && !/\d{4}/.test(path) ? path : "another field";
}
