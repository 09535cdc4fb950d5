import type { MessageStatus } from "../../../catalogue/shared.ts";
import { Icon, type IconName } from "../icons.tsx";

/** How each status is drawn and said. */
const STATUSES: Readonly<Record<string, { readonly icon: IconName; readonly words: string }>> = {
	queued: { icon: "clock", words: "Queued" },
	sent: { icon: "check", words: "Sent" },
	delivered: { icon: "read", words: "Delivered" },
	read: { icon: "read", words: "Read" },
	failed: { icon: "failed", words: "Failed" },
	SMS_FALLBACK: { icon: "check", words: "Sent as SMS" },
};

/** Where a sent message stands, as ticks. The key lets a new status appear with a small movement. */
export function StatusTick({ status }: { status: MessageStatus }) {
	const icon = STATUSES[status]?.icon ?? "clock";
	return <Icon key={status} name={icon} label={statusWords(status)} class={`tick tick-${status}`} />;
}

/** A status in words; one that is not known speaks for itself. */
export function statusWords(status: MessageStatus): string {
	return STATUSES[status]?.words ?? status;
}
