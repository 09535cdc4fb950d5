import type { Terminal } from "./terminal.ts";

/** What a verb does; it resolves to its exit code, or to nothing for 0. */
export type Run<Args extends unknown[]> = (terminal: Terminal, ...args: Args) => Promise<number | undefined>;

/** Turns what a verb does into what the parser calls. */
export type ActionMaker = <Args extends unknown[]>(run: Run<Args>) => (...args: Args) => Promise<void>;
