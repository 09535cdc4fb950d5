/** How a cost may grow. */
export type Growth = "linear" | "constant";

/** The largest exponents that are still noise: caches and garbage collection make large sizes more expensive. */
export const MAX_EXPONENTS: Readonly<Record<Growth, number>> = { linear: 1.15, constant: 0.15 };

/** Something whose cost is measured over sizes. */
export interface GrowthSubject {
	readonly name: string;
	/** What a size counts. */
	readonly sizeOf: "bytes" | "entries";
	readonly growth: Growth;
	/** Creates a subject of the size; the returned function does the work once, and keeps the size. */
	prepare(size: number): (() => unknown) | Promise<() => unknown>;
}
