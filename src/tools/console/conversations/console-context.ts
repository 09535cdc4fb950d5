import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Action } from "../../control/action.ts";
import type { ControlClient } from "../../control/client/control-client.ts";
import type { MessageView } from "../../control/contract.ts";
import type { Follower } from "./hooks/use-live-page.ts";

/** The actions available to every component of the page. */
export interface Console {
	readonly client: ControlClient;
	/** Performs an action and shows a notice of a failure, or `done`. @returns whether it succeeded. */
	act(action: Action, done?: string): Promise<boolean>;
	/** Performs an action without a notice. @returns the problem if it failed. */
	attempt(action: Action): Promise<string | undefined>;
	/** Moves to the bubble of a message. */
	showMessage(message: Pick<MessageView, "conversationKey" | "sequence">): void;
	/** Calls a follower with all changes from now on. @returns a function that ends it. */
	follow(follower: Follower): () => void;
	/** Shows a short notice. */
	notify(notice: Omit<Notice, "id">): void;
}

export interface Notice {
	readonly id: number;
	readonly tone: "done" | "problem";
	readonly text: string;
}

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
	const console = useContext(ConsoleContext);
	if (console === null) throw new Error("useConsole() needs a ConsoleContext provider");
	return console;
}
