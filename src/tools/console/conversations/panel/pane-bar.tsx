import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../icons.tsx";
import { RejectedBadge } from "./rejected-badge.tsx";
import { TOOLS, type ToolName } from "./tools.ts";

/** The view switcher on small screens: the chats or one of the tools. */
export function PaneBar(props: {
	tool: ToolName | null;
	onTool: (tool: ToolName) => void;
	onChats: () => void;
	rejectedCount: number;
}) {
	return (
		<nav class="pane-bar" aria-label="Views">
			<PaneButton icon="chat" isCurrent={props.tool === null} onClick={props.onChats}>
				Chats
			</PaneButton>
			{TOOLS.map(({ name, title, icon }) => (
				<PaneButton key={name} icon={icon} isCurrent={props.tool === name} onClick={() => props.onTool(name)}>
					<span class="tool-title">
						{title}
						{name === "requests" && <RejectedBadge count={props.rejectedCount} />}
					</span>
				</PaneButton>
			))}
		</nav>
	);
}

function PaneButton(props: {
	icon: IconName;
	isCurrent: boolean;
	onClick: () => void;
	children: ComponentChildren;
}) {
	return (
		<button type="button" aria-current={props.isCurrent ? "true" : undefined} onClick={props.onClick}>
			<Icon name={props.icon} />
			{props.children}
		</button>
	);
}
