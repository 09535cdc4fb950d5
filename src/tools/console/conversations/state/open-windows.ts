import type { WindowView } from "../../../control/contract.ts";

/** The open windows of a message, latest end first. */
export interface MessageWindows {
	readonly messageId: string;
	readonly windows: readonly WindowView[];
}

/** Groups the open windows by message, latest end first. */
export function openWindows(windows: readonly WindowView[], now: number): MessageWindows[] {
	const groups = new Map<string, WindowView[]>();
	const open = windows.filter(({ endsAt }) => endsAt > now);
	for (const window of open.sort((left, right) => right.endsAt - left.endsAt)) {
		const group = groups.get(window.messageId);
		if (group === undefined) groups.set(window.messageId, [window]);
		else group.push(window);
	}
	return Array.from(groups, ([messageId, group]) => ({ messageId, windows: group }));
}
