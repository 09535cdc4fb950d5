import type { RequestDetails, RequestErrorView } from "../../../control/contract.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useRequestDetails } from "../hooks/use-request-details.ts";
import { Icon } from "../icons.tsx";
import { MessageLink } from "../message-link.tsx";
import type { GatewayState } from "../state/gateway-state.ts";
import { describeSignature, findMessageId } from "../state/request-facts.ts";
import { HeaderList } from "../webhooks/attempt-details.tsx";
import { BodyView } from "../webhooks/body-view.tsx";
import { RequestActions } from "./request-actions.tsx";

/** The details of a request, loaded when it is opened. */
export function RequestDetailsView({ requestId, gateway }: { requestId: string; gateway: GatewayState }) {
	const loaded = useRequestDetails(requestId);
	return (
		<div class="delivery-details">
			{loaded.state === "loading" && (
				<p class="muted" role="status">
					Loading…
				</p>
			)}
			{loaded.state === "failed" && (
				<p class="bad" role="alert">
					{loaded.reason}
				</p>
			)}
			{loaded.state === "ready" && <Facts details={loaded.details} gateway={gateway} />}
		</div>
	);
}

function Facts({ details, gateway }: { details: RequestDetails; gateway: GatewayState }) {
	const { requestId, method, path, query, headers, body, responseBody, error } = details;
	const { tone, text } = describeSignature(details);
	return (
		<>
			<p>
				<code>
					{method} {path}
					{query}
				</code>
			</p>
			<p class={`signature ${tone}`}>
				<Icon name={tone === "good" ? "check" : "failed"} /> <span>{text}</span>
			</p>
			{error !== undefined && <Rejection error={error} />}
			<MessageLink
				messageId={findMessageId(details)}
				gateway={gateway}
				word={error === undefined ? "Show the message" : "Show the message that blocks it"}
			/>
			<RequestActions details={details} gateway={gateway} />
			{body !== "" && <BodyView title="Request body" body={body} />}
			{responseBody === null ? (
				<p class="muted">The response has no body.</p>
			) : (
				<BodyView title="Response body" body={responseBody} />
			)}
			<details>
				<summary class="muted">Request headers</summary>
				<HeaderList headers={headers} />
			</details>
			<p class="request-id">
				<span class="muted">Request id</span> <code>{requestId}</code>{" "}
				<CopyButton of="the request id" text={requestId} />
			</p>
		</>
	);
}

/** The rule that rejected a request: the error's code and message, and the invalid fields. */
function Rejection({ error: { code, message, fields } }: { error: RequestErrorView }) {
	return (
		<div class="rejection" dir="auto">
			<p>
				<strong>{code}</strong>: {message}
			</p>
			{fields.length > 0 && (
				<ul>
					{fields.map((field) => (
						<li key={field}>{field}</li>
					))}
				</ul>
			)}
		</div>
	);
}
