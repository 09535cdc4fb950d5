import { useCallback, useEffect, useReducer, useRef, useState } from "preact/hooks";
import type { ControlClient } from "../../../control/client/control-client.ts";
import type { Change } from "../../../control/contract.ts";
import { type ConnectionState, followGateway } from "../../live-stream.ts";
import { EMPTY_PAGE, reducePage } from "../state/gateway-state.ts";
import { PacedChanges } from "../state/paced-changes.ts";
import { paceByInput } from "./pace-by-input.ts";

/** Called with the changes that are rendered together, or with `"all"` when everything may have changed. */
export type Follower = (changes: readonly Change[] | "all") => void;

/** The state of the gateway, kept up to date by its stream. */
export function useLivePage(
	client: ControlClient,
	viewedKey: string | null,
	onRejected: (reason: string) => void,
) {
	const [page, dispatch] = useReducer(reducePage, EMPTY_PAGE);
	const followers = useRef(new Set<Follower>()).current;
	const follow = useCallback(
		(follower: Follower) => {
			followers.add(follower);
			return () => void followers.delete(follower);
		},
		[followers],
	);
	const [connection, setConnection] = useState<ConnectionState>("connecting");
	useEffect(() => {
		const end = new AbortController();
		const changes = new PacedChanges((batch, at) => {
			const isReset = batch.some(({ type }) => type === "reset");
			return [
				() => dispatch({ type: "changes", changes: batch, at }),
				...Array.from(followers, (follower) => () => {
					if (followers.has(follower)) follower(isReset ? "all" : batch);
				}),
			];
		});
		paceByInput(changes, end.signal);
		void followGateway({
			client,
			signal: end.signal,
			listener: {
				onConnection: setConnection,
				onRejected,
				onChange: (change) => changes.add(change),
				onSnapshot: (snapshot) => {
					const at = performance.now();
					changes.restart(() => {
						dispatch({ type: "snapshot", snapshot, at });
						for (const follower of followers) follower("all");
					});
				},
			},
		});
		return () => {
			end.abort();
			changes.drop();
		};
	}, [client, onRejected, followers]);
	useEffect(() => dispatch({ type: "viewed", key: viewedKey }), [viewedKey]);
	return { page, connection, follow };
}
