import { receiveMessage, receiveReaction } from "./contact-actions.ts";
import type { Step, TimedStep } from "./magic-numbers.ts";
import type { Journey, MessageRecord } from "./records.ts";
import { moveTo } from "./status.ts";
import type { World } from "./world.ts";

/** The reply of a magic number. */
export const REPLY_TEXT = "Thanks, got it.";
/** The reaction of a magic number. */
export const REACTION = "love";

/**
 * Starts the steps of a message, which happen one after the other.
 * @param elapsedMs - the delay of the step before, since delays count from the message's acceptance.
 */
export function startJourney(
	world: World,
	record: MessageRecord,
	steps: readonly TimedStep[],
	elapsedMs = 0,
): void {
	const [next] = steps;
	const delayMs = next === undefined ? 0 : world.settings.delays[next[1]] - elapsedMs;
	const dueAt = world.clock.now() + Math.max(0, delayMs);
	continueJourney(world, record, next === undefined ? undefined : { steps, dueAt });
}

/** Schedules the next step of a message, also of one of an earlier run. */
export function continueJourney(world: World, record: MessageRecord, journey: Journey | undefined): void {
	record.journey = journey;
	world.messages.changed(record);
	const [next, ...rest] = journey?.steps ?? [];
	if (journey === undefined || next === undefined) return;
	const [step, delayName] = next;
	const goOn = (): void => {
		const agent = world.agents.find(record.message.from);
		if (agent?.isOnline === false && record.message.status === "queued") {
			world.agents.wait(agent, goOn);
			return;
		}
		takeStep(world, record, step);
		startJourney(world, record, rest, world.settings.delays[delayName]);
	};
	world.scheduler.after(Math.max(0, journey.dueAt - world.clock.now()), goOn);
}

function takeStep(world: World, record: MessageRecord, step: Step): void {
	const { message } = record;
	if (step === "reply") {
		receiveMessage(world, { from: message.to, to: message.from, text: REPLY_TEXT });
	} else if (step === "react")
		receiveReaction(world, { from: message.to, reaction: REACTION, original: record });
	else moveTo(world, record, step, step === "failed" ? "the message couldn't be sent" : null);
	if (step === "delivered") deliverToAgent(world, record);
}

/** A message to the number of an agent arrives at that agent: a bot may talk to itself. */
function deliverToAgent(world: World, { conversation, message }: MessageRecord): void {
	const { from, to, text, attachments } = message;
	if (conversation.groupId === null && world.agents.find(to) !== undefined)
		receiveMessage(world, { from, to, text, attachments });
}
