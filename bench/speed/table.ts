/** What a contender is: this package, another that does the same work, or the least that the work can cost. */
export type Role = "ours" | "peer" | "floor";

/** Something that does the work of a case. Its result is checked before it is measured. */
export interface Contender {
	/** The same in every case of its table. */
	readonly name: string;
	readonly role: Role;
	/** Does the work once, and uses the result. */
	readonly run: () => unknown;
}

/** Contenders that do the same work. */
export interface Case {
	/** Short, and the same from run to run. */
	readonly name: string;
	readonly contenders: readonly Contender[];
	/** How many runs are in flight at a time. @default 1 */
	readonly concurrency?: number;
	/** Whether waiting counts, as for the response of another process; otherwise only processor time counts. */
	readonly isWaitCounted?: boolean;
	/** Measures one contender once, in the table's unit; by default, its runs fill a slice of time. */
	readonly measure?: (contender: Contender) => number | Promise<number>;
	/** How many rounds make a median, if not limited by time. @default those of the run */
	readonly rounds?: number;
}

/** Cases that belong together. */
export interface SpeedTable {
	readonly title: string;
	/** What a figure is. @default "ns" */
	readonly unit?: Unit;
	/**
	 * Creates the cases one after the other, each when the previous one has been measured.
	 * @param atEnd - registers a function that runs after the last case, to clean up.
	 */
	openCases(atEnd: (close: () => unknown) => void): AsyncIterable<Case> | Iterable<Case>;
}

/** Nanoseconds for a run, or bytes. */
export type Unit = "ns" | "bytes";

/** Every table by its name; each is measured in its own process. */
export const TABLES: Readonly<Record<string, () => Promise<{ readonly table: SpeedTable }>>> = {
	canonicalize: () => import("./tables/canonicalize.ts"),
	"sign-request": () => import("./tables/sign-request.ts"),
	"verify-signature": () => import("./tables/verify-signature.ts"),
	"verify-webhook": () => import("./tables/verify-webhook.ts"),
	"verify-webhook-noble": () => import("./tables/verify-webhook-noble.ts"),
	handler: () => import("./tables/handler.ts"),
	"client-stub": () => import("./tables/client-stub.ts"),
	"client-http": () => import("./tables/client-http.ts"),
	"cold-import": () => import("./tables/cold-import.ts"),
	"bundle-size": () => import("./tables/bundle-size.ts"),
};
