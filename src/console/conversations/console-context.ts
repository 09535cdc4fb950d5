import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Action } from "../../local-gateway/control/contract.ts";
import type { ControlClient } from "../control-client.ts";

/** What every part of the page can do. */
export interface Console {
	readonly client: ControlClient;
	/** Does something to the gateway, and gives notice of what came of it. @returns whether it was done. */
	act(action: Action, done?: string): Promise<boolean>;
	/** Does something to the gateway. @returns why it was not done, for those who show that themselves. */
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

/** What the page can do, for the part that asks. */
export function useConsole(): Console {
	const console = useContext(ConsoleContext);
	if (console === null) throw new Error("there is no ConsoleContext around this part of the page");
	return console;
}
