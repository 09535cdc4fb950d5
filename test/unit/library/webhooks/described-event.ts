import type { WebhookEvent } from "messaging-gateway/webhooks";
import { expect } from "vitest";
import { signedAt } from "../../../support/webhook-delivery.ts";

/** What stands for nothing in each field that is filled. */
const NOTHING: Readonly<Record<string, unknown>> = {
	text: "",
	originalText: "",
	attachments: [],
	participants: [],
	outbound: false,
	groupId: null,
	status_callback: null,
	error: null,
};

/** An event in one line: its kind, what was filled, and what is not as documented. All else of it must follow from that. */
export function describeEvent(event: WebhookEvent, written: Record<string, unknown>): string {
	const { kind, filled } = event;
	const values = Object.fromEntries(
		filled.map((name) => [name, name === "timestamp_ms" ? Math.round(Number(written[name])) : NOTHING[name]]),
	);
	const complete = { ...written, ...values };
	const about = { kind, eventId: "evt_1", timestamp: signedAt, filled };
	const ending = filled.length === 0 ? "" : ` · filled ${filled.toSorted().join(", ")}`;
	if (event.kind !== "unknown") {
		expect(event).toEqual({ ...about, data: complete });
		return `${kind}${ending}`;
	}
	const type = typeof written["type"] === "string" ? written["type"] : undefined;
	const { reason, issues } = event;
	const unfit = new Set(issues.map(({ path }) => path.split(".")[0]));
	const fitting = Object.fromEntries(Object.entries(complete).filter(([name]) => !unfit.has(name)));
	const narrowed = { kind: type ?? "status", data: fitting };
	const rest = { reason, type, issues, issueCount: issues.length, data: written };
	expect(event).toEqual({ ...about, ...rest, narrowed: reason === "type" ? undefined : narrowed });
	if (reason === "type") return "unknown type";
	return `unknown: ${issues.map(({ path, message }) => `${path} ${message}`).join(", ")}${ending}`;
}
