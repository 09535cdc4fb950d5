import { useRef } from "preact/hooks";
import type { ConversationView } from "../../../control/contract.ts";
import { useModule } from "../hooks/use-module.ts";
import { Icon } from "../icons.tsx";
import { RequestsTool } from "../requests/requests-tool.tsx";
import type { GatewayState } from "../state/gateway-state.ts";
import { WebhooksTool } from "../webhooks/webhooks-tool.tsx";
import { RejectedBadge } from "./rejected-badge.tsx";
import { TOOLS, type ToolName } from "./tools.ts";

/** The tools beside the thread, one at a time. */
export function SidePanel(props: {
	tool: ToolName;
	onTool: (tool: ToolName) => void;
	rejectedCount: number;
	gateway: GatewayState;
	conversation: ConversationView | null;
}) {
	const { tool, onTool, rejectedCount } = props;
	return (
		<section class="pane tools-pane" aria-label="Tools">
			<ToolTabs tool={tool} onTool={onTool} rejectedCount={rejectedCount} />
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a panel that scrolls must be reachable by keyboard */}
			<div class="tool-panel" role="tabpanel" id="tool-panel" aria-labelledby={`tab-${tool}`} tabIndex={0}>
				<h2 class="visually-hidden">{TOOLS.find(({ name }) => name === tool)?.title}</h2>
				<Tool {...props} />
			</div>
		</section>
	);
}

function Tool({
	tool,
	gateway,
	conversation,
}: {
	tool: ToolName;
	gateway: GatewayState;
	conversation: ConversationView | null;
}) {
	switch (tool) {
		case "webhooks":
			return <WebhooksTool gateway={gateway} conversationKey={conversation?.key ?? null} />;
		case "requests":
			return <RequestsTool gateway={gateway} />;
		default:
			return <LaterTool tool={tool} gateway={gateway} conversation={conversation} />;
	}
}

const loadOtherTools = () => import("./other-tools.tsx");

/** A tool that is loaded when it is opened. */
function LaterTool(props: Parameters<Awaited<ReturnType<typeof loadOtherTools>>["OtherTool"]>[0]) {
	const module = useModule(loadOtherTools);
	if (module) return <module.OtherTool {...props} />;
	return (
		<p class={module === null ? "bad" : "muted"} role="status">
			{module === null ? "The tool could not be loaded. Reload the page when the command runs." : "Loading…"}
		</p>
	);
}

/** Tabs with one tab stop; the arrow keys move between them. */
function ToolTabs(props: { tool: ToolName; onTool: (tool: ToolName) => void; rejectedCount: number }) {
	const { tool, onTool, rejectedCount } = props;
	const tabs = useRef(new Map<ToolName, HTMLButtonElement>());
	const move = (step: number): void => {
		const at = TOOLS.findIndex(({ name }) => name === tool);
		const next = TOOLS.at((at + step) % TOOLS.length);
		if (next === undefined) return;
		onTool(next.name);
		tabs.current.get(next.name)?.focus();
	};
	return (
		<div
			class="tool-tabs"
			role="tablist"
			aria-label="Tools"
			onKeyDown={({ key }) => {
				if (key === "ArrowRight") move(1);
				if (key === "ArrowLeft") move(-1);
			}}
		>
			{TOOLS.map(({ name, title, icon }) => (
				<button
					key={name}
					ref={(element) => {
						if (element !== null) tabs.current.set(name, element);
					}}
					type="button"
					role="tab"
					id={`tab-${name}`}
					aria-selected={name === tool}
					aria-controls="tool-panel"
					tabIndex={name === tool ? 0 : -1}
					onClick={() => onTool(name)}
				>
					<Icon name={icon} />
					<span class="tool-title">
						{title}
						{name === "requests" && <RejectedBadge count={rejectedCount} />}
					</span>
				</button>
			))}
		</div>
	);
}
