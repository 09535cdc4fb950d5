import { useCallback, useRef, useState } from "preact/hooks";
import type { Change, RequestView } from "../../../control/contract.ts";
import { useDelayed } from "../hooks/use-delayed.ts";
import { UNMATCHED, useHistory } from "../hooks/use-history.ts";
import { LogFilters, TYPING_DELAY_MS } from "../log/log-filters.tsx";
import { LogList } from "../log/log-list.tsx";
import type { GatewayState } from "../state/gateway-state.ts";
import { isRejected } from "../state/request-facts.ts";
import { RequestRow } from "./request-row.tsx";

/** The log of the application's requests. */
export function RequestsTool({ gateway }: { gateway: GatewayState }) {
	const [filters, setFilters] = useState({ isOnlyFailed: false, search: "" });
	const { isOnlyFailed } = filters;
	const search = useDelayed(filters.search.trim(), TYPING_DELAY_MS);
	const list = useRequests(isOnlyFailed, search);
	const opened = useRef(new Set<string>()).current;
	// Only open details need it, and what they show of it stays as it was.
	const known = useRef(gateway);
	known.current = gateway;
	const renderRow = useCallback(
		(request: RequestView) => <RequestRow request={request} gateway={known} opened={opened} />,
		[opened],
	);
	return (
		<>
			<div class="filters">
				<LogFilters of="requests" values={filters} onValues={setFilters} />
			</div>
			<LogList
				of="request"
				label="Requests, the newest first"
				list={list}
				emptyNote={noteOfEmpty(isOnlyFailed || search !== "")}
				keyOf={keyOfRequest}
				estimate={47}
				renderRow={renderRow}
			/>
		</>
	);
}

function noteOfEmpty(isFiltered: boolean): string {
	return isFiltered ? "No request matches." : "No requests yet. Each call of your application appears here.";
}

/** The requests that the filters select; a search also looks into bodies, which only the gateway has. */
function useRequests(isOnlyFailed: boolean, search: string) {
	const itemOf = useCallback(
		(change: Change) => {
			if (change.type !== "request") return undefined;
			const { request } = change;
			if (isOnlyFailed && !isRejected(request)) return undefined;
			return search === "" ? request : UNMATCHED;
		},
		[isOnlyFailed, search],
	);
	const query = { ...(isOnlyFailed ? { failed: true } : {}), ...(search === "" ? {} : { search }) };
	return useHistory({ list: "requests", query, itemOf });
}

function keyOfRequest({ requestId }: RequestView): string {
	return requestId;
}
