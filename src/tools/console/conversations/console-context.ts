import { type Context, createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import type { Action } from "../../control/action.ts";
import type { ControlClient } from "../../control/client/control-client.ts";
import type { Follower } from "./hooks/use-live-page.ts";
import { ALL_ACTIVITY, readSelection, select } from "./hooks/use-selection.ts";
import { gatewayNow } from "./state/clock.ts";
import type { GatewayState } from "./state/gateway-state.ts";

export type Console = ReturnType<typeof useConsoleActions>;

export const ConsoleContext = createContext<Console | null>(null);

/** Apart, because what shows none of the gateway's state is not rendered again with it. */
export const GatewayContext = createContext<GatewayState | null>(null);

export function useConsole(): Console {
	return useProvided(ConsoleContext);
}

export function useGateway(): GatewayState {
	return useProvided(GatewayContext);
}

function useProvided<Value>(context: Context<Value | null>): Value {
	const value = useContext(context);
	if (value === null) throw new Error("This needs the providers of the workspace.");
	return value;
}

/** The gateway's time, updated at the start of each second. */
export function useNow(): number {
	const { clock } = useGateway();
	const [steadyNow, setSteadyNow] = useState(() => performance.now());
	// A newer reading of the clock applies before the next tick.
	const now = gatewayNow(clock, Math.max(steadyNow, clock.readAt));
	useEffect(() => {
		const toNextSecond = 1_000 - (now % 1_000);
		const timer = setTimeout(() => setSteadyNow(performance.now()), toNextSecond + 5);
		return () => clearTimeout(timer);
	}, [now]);
	return now;
}

export function useConsoleActions(
	client: ControlClient,
	/** Calls a follower with all changes from now on. @returns a function that ends it. */
	follow: (follower: Follower) => () => void,
	/** Shows why something failed. */
	notify: (problem: string) => void,
) {
	return useMemo(() => {
		/** Runs a task, and shows a notice if it fails. @returns whether it succeeded. */
		const attempt = async (task: () => Promise<unknown>): Promise<boolean> => {
			try {
				await task();
			} catch (error) {
				notify(error instanceof Error ? error.message : String(error));
				return false;
			}
			return true;
		};
		const act = (action: Action) => attempt(() => client.act(action));
		/** Opens the drawer with an entry of a timeline, by default of that in view, and moves the focus there. */
		const open = (sequence: number, key = readSelection().key ?? ALL_ACTIVITY): void => {
			select(key, sequence);
			// Once the drawer is rendered.
			requestAnimationFrame(() => document.getElementById("drawer-title")?.focus());
		};
		return { client, notify, follow, act, attempt, open };
	}, [client, notify, follow]);
}
