import * as z from "zod/mini";

/** A list that only its owner changes. */
export const list = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item));

/** An object that only its owner changes, with fields that a later version may add. */
export const view = <Shape extends Readonly<Record<string, z.ZodMiniType>>>(shape: Shape) =>
	z.readonly(z.looseObject(shape));

/** The place of something in the order of all events. */
export const sequence = z.number().check(z.int());

/** Strings by name, such as headers. */
export const strings = z.readonly(z.record(z.string(), z.string()));
