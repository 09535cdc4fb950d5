import type { OperationId } from "../../../library/catalogue/index.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { CatalogueOperation } from "../../routes.ts";
import { RESULT_SHAPES } from "./result-names.ts";

/** A number in E.164. */
const PHONE = /^\+[1-9]\d{6,14}$/;
const AGENTS = ["agentNumber", "nativeMessageNumber"];
/** Contacts may have an e-mail address or a short code instead. */
const HANDLE = /^\+[1-9]\d{6,14}$|^\d{3,6}$|^[^\s@]+@[^\s@]+$/;
const CONTACTS = ["from", "to", "userNumber", "number"];

/** The years 2000 to 2100, in milliseconds. */
const EARLIEST = Date.UTC(2000);
const LATEST = Date.UTC(2100);

/** The most items of a list that are looked at. */
const MAX_ITEMS = 20;

/** The unit in which a value is a time of this century; `undefined` if it is none. */
export function timeUnitOf(value: unknown): "s" | "ms" | "iso" | undefined {
	const isTime = (ms: number): boolean => ms >= EARLIEST && ms < LATEST;
	if (typeof value === "number") return isTime(value) ? "ms" : isTime(value * 1_000) ? "s" : undefined;
	const isIso = typeof value === "string" && /^\d{4}-\d\d-\d\d[T ]/.test(value);
	return isIso && isTime(Date.parse(value)) ? "iso" : undefined;
}

/** Whether a value on the wire may be one of our fields: a phone looks like one, a time is of this century. */
export function mayBeValueOf(name: string, type: string, value: unknown): boolean {
	if (value === null || value === undefined) return true;
	if (type === "time") return timeUnitOf(value) !== undefined;
	return isRightHandle(name, value);
}

/** Whether a value is a number in E.164. */
export function isPhone(value: unknown): boolean {
	return typeof value === "string" && PHONE.test(value);
}

/** Whether a field of ours has somebody's number. */
export function isPhoneField(name: string): boolean {
	return AGENTS.includes(name) || CONTACTS.includes(name);
}

function isRightHandle(name: string, value: unknown): boolean {
	if (AGENTS.includes(name)) return typeof value === "string" && PHONE.test(value);
	if (CONTACTS.includes(name)) return typeof value === "string" && HANDLE.test(value);
	return true;
}

/** Which field of a call's data cannot be what its name says; `undefined` if each can. */
export function findImplausible(
	{ id, provenance, pageItems }: CatalogueOperation,
	data: unknown,
	input: unknown,
): string | undefined {
	const shape = RESULT_SHAPES[id];
	if (shape === undefined) return undefined;
	for (const item of itemsOf(id, pageItems, data)) {
		const { toNumber } = Object(input);
		const { outbound, from, to, responseRate } = item;
		const [contact, other] = outbound === true ? [to, from] : [from, to];
		const isSwapped =
			id === "analytics.listMessages" && typeof outbound === "boolean" && contact !== toNumber;
		if (isSwapped && other === toNumber) return "from and to stand the other way round";
		if (typeof responseRate === "number" && !(responseRate >= 0 && responseRate <= 1))
			return "responseRate is no share from 0 to 1";
		for (const [name, { type }] of Object.entries(shape.fields)) {
			const value = item[name];
			if (value === null || value === undefined || value === "") continue;
			// The specification does not say the unit of a mapping's times.
			const isWrongTime = type === "time" && provenance !== "documented" && timeUnitOf(value) !== "ms";
			if (isWrongTime) return `${name} is no time of this century in milliseconds`;
			if (type !== "time" && !isRightHandle(name, value)) return `${name} is no phone number`;
		}
	}
	return undefined;
}

/** The objects of a call's data that its fields are in. */
export function itemsOf(
	id: OperationId,
	pageItems: string | undefined,
	data: unknown,
): Readonly<Record<string, unknown>>[] {
	const under = RESULT_SHAPES[id]?.under ?? "";
	const whole = isJsonObject(data) ? data : {};
	const found: unknown = pageItems !== undefined ? whole[pageItems] : under === "" ? whole : whole[under];
	return [found].flat().slice(0, MAX_ITEMS).filter(isJsonObject);
}
