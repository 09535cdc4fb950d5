import type { MessageStatus } from "../../../../library/catalogue/shared.ts";
import { Icon, type IconName } from "../icons.tsx";

const STATUSES: Readonly<Record<string, { readonly icon: IconName; readonly words: string }>> = {
	queued: { icon: "clock", words: "Queued" },
	sent: { icon: "check", words: "Sent" },
	delivered: { icon: "read", words: "Delivered" },
	read: { icon: "read", words: "Read" },
	failed: { icon: "failed", words: "Failed" },
	SMS_FALLBACK: { icon: "check", words: "Sent as SMS" },
};

/** The status of a sent message as an icon. */
export function StatusTick({ status }: { status: MessageStatus }) {
	const icon = STATUSES[status]?.icon ?? "clock";
	return (
		<Icon name={icon} label={statusWords(status)} class={status === "failed" ? "bad" : `tick-${status}`} />
	);
}

/** The label of a status; unknown ones are shown unchanged. */
export function statusWords(status: MessageStatus): string {
	return STATUSES[status]?.words ?? status;
}
