import type { AtEnd } from "../at-end.ts";
import type { CaseRecord } from "./record.ts";

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
	/** What a document shows of a figure. @default "speed" */
	readonly shows?: Shown;
	/**
	 * Creates the cases one after the other, each when the previous one has been measured. A case whose figures do not
	 * vary, or that measures its contenders in an order of its own, is a record already.
	 * @param atEnd - registers a function that runs after the last case, to clean up.
	 */
	openCases(atEnd: AtEnd): AsyncIterable<Case | CaseRecord> | Iterable<Case | CaseRecord>;
}

/** Nanoseconds for a run, bytes, or a percentage. */
export type Unit = "ns" | "bytes" | "percent";

/** The speed against the floor, the cost itself, or how often the work is done in a second. */
export type Shown = "speed" | "cost" | "rate";

/** Every table by its name, with what users notice first; each is measured in its own process. */
export const TABLES: Readonly<Record<string, () => Promise<{ readonly table: SpeedTable }>>> = {
	size: () => import("./tables/size.ts"),
	start: () => import("./tables/start.ts"),
	receiver: () => import("./tables/receiver.ts"),
	"redis-store": () => import("./tables/redis-store.ts"),
	"postgres-store": () => import("./tables/postgres-store.ts"),
	"client-stub": () => import("./tables/client-stub.ts"),
	"client-http": () => import("./tables/client-http.ts"),
	"hash-body": () => import("./tables/hash-body.ts"),
	"sign-request": () => import("./tables/sign-request.ts"),
	"verify-webhook": () => import("./tables/verify-webhook.ts"),
	"verify-webhook-noble": () => import("./tables/verify-webhook-noble.ts"),
	handler: () => import("./tables/handler.ts"),
	memory: () => import("./tables/memory.ts"),
};
