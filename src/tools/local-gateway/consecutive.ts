import type { Conversation } from "./records.ts";
import { RequestRejection } from "./request-rejection.ts";
import type { Rules } from "./settings.ts";

/**
 * Rejects a send to a contact that has not replied to the last messages, or only marks the mapping. The fields are
 * those of section 2.3; their effect is assumed.
 *
 * @throws RequestRejection when the threshold is reached and enforced.
 */
export function checkConsecutive({ counters }: Conversation, mode: Rules["consecutive"], now: number): void {
	if (mode === "off" || counters.consecutiveCount < counters.maxConsecutiveMessages) return;
	counters.lastWarningSentAt = now;
	if (mode === "warn") return;
	const { consecutiveCount, maxConsecutiveMessages, lastWarningSentAt } = counters;
	throw new RequestRejection(
		"MAX_CONSECUTIVE_EXCEEDED",
		`Blocked by the consecutive-message rule: the last ${consecutiveCount} messages are unanswered. ` +
			"An inbound message or a reset of the mapping sets the count to 0; the option " +
			"rules.maxConsecutiveMessages and mappings.update change the threshold.",
		{
			details: {
				consecutiveCount,
				maxConsecutiveMessages,
				lastWarningSentAt,
				rule: "consecutive",
				option: "rules.maxConsecutiveMessages",
			},
		},
	);
}
