import { createEventId } from "../../../library/webhooks/sign-webhook.ts";
import type { Attempt } from "../../local-gateway/delivery.ts";
import type { Outgoing } from "../deliver.ts";
import { isHandled, type Judgement, RIGHT } from "./judge.ts";
import type { Receiver, Scene } from "./scene.ts";

/** Deliveries of one event, which should be processed once. */
export interface Repeat {
	readonly name: string;
	readonly sent: string;
	readonly isRule: boolean;
	readonly fix: string;
	/** Whether they show nothing unless events are counted. */
	readonly needsCount?: boolean;
	readonly deliver: (scene: Scene) => Promise<readonly Attempt[]>;
}

export const WHY_ONCE =
	"The gateway may deliver an event more than once, and its id is there to recognize that (section 6.1).";

const BY_ID = "Remember the ids of processed events, and acknowledge a known one without processing it.";

async function inTurn(scene: Scene, ...all: readonly Outgoing[]): Promise<Attempt[]> {
	const attempts: Attempt[] = [];
	for (const outgoing of all) attempts.push(await scene.deliver(outgoing));
	return attempts;
}

const REPEATS: readonly Repeat[] = [
	{
		name: "repeat",
		sent: "the same delivery twice",
		isRule: true,
		fix: BY_ID,
		deliver: async (scene) => {
			const outgoing = await scene.sign();
			return inTurn(scene, outgoing, outgoing);
		},
	},
	{
		name: "retry",
		sent: "an event again, signed at another second",
		isRule: true,
		fix: BY_ID,
		deliver: async (scene) => {
			const eventId = createEventId();
			const first = await scene.sign({ eventId, aheadSeconds: -1 });
			return inTurn(scene, first, await scene.sign({ eventId, body: first.body }));
		},
	},
	{
		name: "at_once",
		sent: "an event twice at once, then again",
		isRule: true,
		fix: "Claim the id in one step that only one of them can win, such as an INSERT with a unique key.",
		deliver: async (scene) => {
			const outgoing = await scene.sign();
			const both = await Promise.all([scene.deliver(outgoing), scene.deliver(outgoing)]);
			return [...both, await scene.deliver(outgoing)];
		},
	},
	{
		name: "another_id",
		sent: "a delivery again under another event id",
		isRule: false,
		needsCount: true,
		fix: "Bind each signed delivery to the first id that comes with it: the signature doesn't cover the id.",
		deliver: async (scene) => {
			const outgoing = await scene.sign();
			const changed = { [scene.names.eventId]: createEventId() };
			return inTurn(scene, outgoing, scene.withHeaders(outgoing, changed));
		},
	},
];

export function listRepeats({ readCount }: Receiver): readonly Repeat[] {
	return REPEATS.filter(({ needsCount }) => !needsCount || readCount !== undefined);
}

/**
 * Judges the responses to deliveries of one event.
 * @param processed - how often it was processed, if that was counted.
 */
export function judgeRepeat(
	{ name, isRule, fix }: Repeat,
	attempts: readonly Attempt[],
	processed: number | undefined,
): Judgement {
	if (processed !== undefined && processed > attempts.length)
		return {
			verdict: "unseen",
			reason: `The count grew by ${processed}, and ${attempts.length} deliveries were made: it counts later than one second after a response.`,
			fix: "Let the receiver count within a second, or send it nothing else meanwhile.",
		};
	if (processed !== undefined && processed > 1)
		return {
			verdict: isRule ? "wrong" : "advice",
			certainty: "certain",
			reason: `It processed one event ${processed} times.`,
			fix,
		};
	const last = attempts.at(-1);
	if (last !== undefined && !isHandled(last) && name !== "another_id")
		return {
			verdict: "advice",
			certainty: "certain",
			reason: "It didn't acknowledge the repeat, so a gateway that retries takes the event for lost.",
			fix: "Respond 200 to an event that was processed before.",
		};
	if (processed === 1) return RIGHT;
	if (processed === 0)
		return {
			verdict: "unseen",
			reason: "The count didn't change within 5 s.",
			fix: "Let --count be a URL that responds with the number of processed events.",
		};
	return {
		verdict: "unseen",
		reason: "Its responses don't show how often it processed the event.",
		fix: "Use --count.",
	};
}
