import { useEffect, useReducer, useState } from "preact/hooks";
import type { Change } from "../../../control/contract.ts";
import type { ControlClient } from "../../control-client.ts";
import { type Connection, followGateway } from "../../live-stream.ts";
import { EMPTY_PAGE, type PageEvent, type PageState, reducePage } from "../state/page-state.ts";

/** Changes within one frame are rendered together. */
const FRAME_MS = 16;

/** The state of the gateway, kept up to date by its stream. */
export function useLivePage(
	client: ControlClient,
	viewedKey: string | null,
	onRejected: (reason: string) => void,
): { readonly page: PageState; readonly connection: Connection } {
	const [page, dispatch] = useReducer(reducePage, EMPTY_PAGE);
	const [connection, setConnection] = useState<Connection>("connecting");
	useEffect(() => {
		const end = new AbortController();
		const changes = collectChanges(dispatch);
		void followGateway({
			client,
			signal: end.signal,
			listener: {
				onConnection: setConnection,
				onRejected,
				onChange: changes.add,
				onSnapshot: (snapshot) => {
					changes.drop();
					dispatch({ type: "snapshot", snapshot, at: performance.now() });
				},
			},
		});
		return () => {
			end.abort();
			changes.drop();
		};
	}, [client, onRejected]);
	useEffect(() => dispatch({ type: "viewed", key: viewedKey }), [viewedKey]);
	return { page, connection };
}

/** Collects changes until the next frame. A timer, because `requestAnimationFrame` pauses in hidden tabs. */
function collectChanges(dispatch: (event: PageEvent) => void) {
	let changes: Change[] = [];
	let timer: ReturnType<typeof setTimeout> | undefined;
	const drop = (): void => {
		clearTimeout(timer);
		timer = undefined;
		changes = [];
	};
	const flush = (): void => {
		const event = { type: "changes", changes, at: performance.now() } as const;
		drop();
		dispatch(event);
	};
	const add = (change: Change): void => {
		changes.push(change);
		timer ??= setTimeout(flush, FRAME_MS);
	};
	return { add, drop };
}
