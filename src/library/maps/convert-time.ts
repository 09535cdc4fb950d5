import type { WireUnit } from "../catalogue/operation-map.ts";

/** Our Unix milliseconds on the wire; `undefined` if they are none that can be written. */
export function toWireTime(value: unknown, unit: WireUnit): unknown {
	if (value === null) return null;
	if (typeof value !== "number") return undefined;
	if (unit === "ms") return value;
	if (unit === "s") return Math.floor(value / 1000);
	const date = new Date(value);
	return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** A time of the wire in Unix milliseconds. What is no time stays as it is. */
export function fromWireTime(value: unknown, unit: WireUnit): unknown {
	const isText = typeof value === "string" && value !== "";
	if (!isText && typeof value !== "number") return value;
	const read = unit === "iso" ? Date.parse(String(value)) : Number(value) * (unit === "s" ? 1000 : 1);
	return Number.isNaN(read) ? value : Math.round(read);
}
