import { useMemo } from "preact/hooks";
import type { ControlClient } from "../../../control/client/control-client.ts";
import type { Console } from "../console-context.ts";

/** Creates the actions of the page. */
export function useConsoleActions(
	client: ControlClient,
	{ notify, follow, showMessage }: Pick<Console, "notify" | "follow" | "showMessage">,
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
		return { client, notify, follow, showMessage, act, attempt };
	}, [client, notify, follow, showMessage]);
}
