import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Action } from "../../control/contract.ts";
import type { ControlClient } from "../control-client.ts";

/** The actions available to every component of the page. */
export interface Console {
	readonly client: ControlClient;
	/** Performs an action and shows a notice of a failure, or `done`. @returns whether it succeeded. */
	act(action: Action, done?: string): Promise<boolean>;
	/** Performs an action without a notice. @returns the problem if it failed. */
	attempt(action: Action): Promise<string | undefined>;
	/** Shows a short notice. */
	notify(notice: Omit<Notice, "id">): void;
}

/** A short notice. */
export interface Notice {
	readonly id: number;
	readonly tone: "done" | "problem";
	readonly text: string;
}

export const ConsoleContext = createContext<Console | null>(null);

/** Returns the actions of the page. */
export function useConsole(): Console {
	const console = useContext(ConsoleContext);
	if (console === null) throw new Error("useConsole() needs a ConsoleContext provider");
	return console;
}
