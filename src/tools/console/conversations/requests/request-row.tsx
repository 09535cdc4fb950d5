import type { RequestView } from "../../../control/contract.ts";
import { Icon } from "../icons.tsx";
import { LogRow } from "../log/log-row.tsx";
import { formatTime } from "../state/clock.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { describeReason, isRejected, nameOf } from "../state/request-facts.ts";
import { RequestDetailsView } from "./request-details.tsx";

/** A request in a line, with the reason if it was rejected; it opens its details. */
export function RequestRow(props: {
	request: RequestView;
	gateway: { readonly current: GatewayState };
	opened: Set<string>;
}) {
	const { request, gateway, opened } = props;
	const { status, at, durationMs } = request;
	const isBad = isRejected(request);
	const reason = isBad ? describeReason(request) : undefined;
	return (
		<LogRow
			rowKey={request.requestId}
			opened={opened}
			class={`delivery request ${isBad ? "is-bad" : ""}`}
			details={() => <RequestDetailsView requestId={request.requestId} gateway={gateway.current} />}
		>
			<summary class="request-summary">
				<span class="request-line">
					<time class="muted" dateTime={new Date(at).toISOString()}>
						{formatTime(at)}
					</time>
					<span class={`request-status ${isBad ? "bad" : "good"}`}>
						<Icon name={isBad ? "failed" : "check"} label={isBad ? "rejected" : "accepted"} />{" "}
						{status ?? "none"}
					</span>
					<span class="request-name">{nameOf(request)}</span>
					<span class="muted">{durationMs} ms</span>
				</span>
				{reason !== undefined && (
					<span class="request-reason" dir="auto">
						{reason}
					</span>
				)}
			</summary>
		</LogRow>
	);
}
