import { NEXT_STATUSES } from "../../../library/catalogue/shared.ts";
import { behaviourOf, type Step } from "../../local-gateway/magic-numbers.ts";
import type { MessageRecord } from "../../local-gateway/records.ts";
import type { World } from "../../local-gateway/world.ts";

/** Whether a message waits for an agent that is offline. */
export function isWaiting({ agents }: World, { message }: MessageRecord): boolean {
	return message.outbound && message.status === "queued" && agents.find(message.from)?.isOnline === false;
}

/** The status of a message after its remaining steps. */
export function finalStatus(world: World, record: MessageRecord): string {
	let { status } = record.message;
	const steps = isWaiting(world, record) ? [] : (record.journey?.steps ?? []);
	for (const [step] of steps) if (NEXT_STATUSES[status]?.includes(step)) status = step;
	return status;
}

/** How often a magic number replies or reacts to these messages. */
export function countAutomatic(world: World, records: readonly MessageRecord[], wanted: Step): number {
	const matching = records.filter(
		(record) =>
			!isWaiting(world, record) && behaviourOf(record.conversation).steps.some(([step]) => step === wanted),
	);
	return matching.length;
}
