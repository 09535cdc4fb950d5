import type { IconName } from "../icons.tsx";

/** The tools beside the thread. */
export const TOOLS = [
	{ name: "webhooks", title: "Webhooks", icon: "webhook" },
	{ name: "requests", title: "Requests", icon: "send" },
	{ name: "mapping", title: "Mapping", icon: "mapping" },
	{ name: "faults", title: "Faults", icon: "fault" },
	{ name: "agents", title: "Agents", icon: "agent" },
	{ name: "clock", title: "Clock", icon: "clock" },
] as const satisfies readonly { readonly name: string; readonly title: string; readonly icon: IconName }[];

export type ToolName = (typeof TOOLS)[number]["name"];
