import type { Terminal } from "./terminal.ts";

/** The body of a verb. It resolves to an exit code; `undefined` means 0. */
export type Run<Args extends unknown[]> = (terminal: Terminal, ...args: Args) => Promise<number | undefined>;

/** Wraps the body of a verb into the action that commander calls. */
export type ActionMaker = <Args extends unknown[]>(run: Run<Args>) => (...args: Args) => Promise<void>;
