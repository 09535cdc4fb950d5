import { receiveMessage, receiveReaction } from "./contact-actions.ts";
import type { Step, TimedStep } from "./magic-numbers.ts";
import type { MessageRecord } from "./messages.ts";
import { moveTo } from "./status.ts";
import type { World } from "./world.ts";

const REPLY_TEXT = "Thanks, got it.";

/** Sends a message on its way: its steps are taken one after the other, each at its time. */
export function startJourney(
	world: World,
	record: MessageRecord,
	steps: readonly TimedStep[],
	elapsedMs = 0,
): void {
	const [next, ...rest] = steps;
	if (next === undefined) return;
	const [step, delayName] = next;
	const delayMs = world.settings.delays[delayName];
	const goOn = (): void => {
		const agent = world.agents.find(record.message.from);
		if (agent?.isOnline === false && record.message.status === "queued") {
			world.agents.wait(agent, goOn);
			return;
		}
		takeStep(world, record, step);
		startJourney(world, record, rest, delayMs);
	};
	world.scheduler.after(Math.max(0, delayMs - elapsedMs), goOn);
}

function takeStep(world: World, record: MessageRecord, step: Step): void {
	const { message } = record;
	if (step === "reply") receiveMessage(world, { from: message.to, to: message.from, text: REPLY_TEXT });
	else if (step === "react")
		receiveReaction(world, { from: message.to, reaction: "love", original: message });
	else moveTo(world, record, step, step === "failed" ? "the message could not be sent" : null);
}
