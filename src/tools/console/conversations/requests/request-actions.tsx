import type { RequestDetails } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { CopySource } from "../copy-source.tsx";
import { HandOverLink } from "../hand-over-link.tsx";
import type { GatewayState } from "../state/gateway-state.ts";

/** A request as code to copy, and in the form of the page /docs. */
export function RequestActions({ details, gateway }: { details: RequestDetails; gateway: GatewayState }) {
	const { client } = useConsole();
	const { requestId, operationId, path, query, body } = details;
	return (
		<div class="log-actions">
			<CopySource
				label="Copy as curl"
				of="The command"
				write={async () => (await loadWriters()).writeRequestCurl(details, gateway)}
			/>
			<CopySource
				label="Copy as SDK code"
				of="The program"
				write={async () => (await loadWriters()).writeRequestSdk(details, gateway)}
			/>
			<CopySource label="Copy as test" of="The test" write={() => client.testOfRequest(requestId)} />
			{operationId !== undefined && (
				<HandOverLink
					path="/docs"
					fragment={operationId}
					value={{ operationId, path, query, body }}
					label="Open in /docs"
				/>
			)}
		</div>
	);
}

function loadWriters() {
	return import("./write-code.ts");
}
