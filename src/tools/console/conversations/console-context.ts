import { createContext } from "preact";
import { useContext, useMemo } from "preact/hooks";
import type { Action } from "../../control/action.ts";
import type { ControlClient } from "../../control/client/control-client.ts";
import type { Follower } from "./hooks/use-live-page.ts";
import { select } from "./hooks/use-selection.ts";
import type { Notice } from "./notices.tsx";

export interface Console {
	readonly client: ControlClient;
	/** Performs an action and shows a notice of a failure, or `done`. @returns whether it succeeded. */
	act(action: Action, done?: string): Promise<boolean>;
	/** Performs an action without a notice. @returns the problem if it failed. */
	attempt(action: Action): Promise<string | undefined>;
	/** Opens the drawer with an entry of a timeline, and moves the focus there. */
	open(key: string, sequence: number): void;
	/** Calls a follower with all changes from now on. @returns a function that ends it. */
	follow(follower: Follower): () => void;
	notify(notice: Omit<Notice, "id">): void;
}

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
	const console = useContext(ConsoleContext);
	if (console === null) throw new Error("useConsole() needs a ConsoleContext provider");
	return console;
}

export function useConsoleActions(
	client: ControlClient,
	{ notify, follow }: Pick<Console, "notify" | "follow">,
): Console {
	return useMemo(() => {
		const attempt: Console["attempt"] = async (action) => {
			try {
				await client.act(action);
				return undefined;
			} catch (error) {
				return error instanceof Error ? error.message : String(error);
			}
		};
		const act: Console["act"] = async (action, done) => {
			const problem = await attempt(action);
			if (problem !== undefined) notify({ tone: "problem", text: problem });
			else if (done !== undefined) notify({ tone: "done", text: done });
			return problem === undefined;
		};
		const open: Console["open"] = (key, sequence) => {
			select(key, sequence);
			// Once the drawer is rendered.
			requestAnimationFrame(() => document.getElementById("drawer-title")?.focus());
		};
		return { client, notify, follow, act, attempt, open };
	}, [client, notify, follow]);
}
