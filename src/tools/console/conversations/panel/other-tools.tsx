import type { ConversationView } from "../../../control/contract.ts";
import { FaultsTool } from "../faults/faults-tool.tsx";
import type { GatewayState } from "../state/gateway-state.ts";
import { AgentsTool } from "./agents-tool.tsx";
import { ClockTool } from "./clock-tool.tsx";
import { MappingTool } from "./mapping-tool.tsx";
import type { ToolName } from "./tools.ts";

/** The tools beside the two logs; they are loaded when the first of them is opened. */
export function OtherTool(props: {
	tool: Exclude<ToolName, "webhooks" | "requests">;
	gateway: GatewayState;
	conversation: ConversationView | null;
}) {
	const { tool, gateway, conversation } = props;
	switch (tool) {
		case "mapping":
			return <MappingTool gateway={gateway} conversation={conversation} />;
		case "faults":
			return <FaultsTool active={gateway.faults} operationIds={gateway.operationIds} />;
		case "agents":
			return <AgentsTool gateway={gateway} />;
		case "clock":
			return <ClockTool gateway={gateway} />;
	}
}
