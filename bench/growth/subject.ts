/** How a cost may grow. */
export type Growth = "linear" | "constant";

/** The largest exponents that are still noise: caches and the collection of garbage make large sizes dearer. */
export const MAX_EXPONENTS: Readonly<Record<Growth, number>> = { linear: 1.15, constant: 0.15 };

/** Something whose cost is measured over sizes. */
export interface GrowthSubject {
	readonly name: string;
	/** What a size counts. */
	readonly sizeOf: "bytes" | "entries";
	readonly growth: Growth;
	/** Makes what has the size; the function that it returns does the work once, and leaves the size as it is. */
	prepare(size: number): (() => unknown) | Promise<() => unknown>;
}
