import type { Change } from "./load-subject.ts";
import { playSends } from "./sends.ts";
import type { Subject } from "./subject.ts";
import { playWebhooks } from "./webhooks.ts";
import type { Plan } from "./world.ts";

/** What is played, by name. */
export const SCENARIOS = { webhooks: playWebhooks, sends: playSends } as const;

/** The name of a scenario. */
export type Scenario = keyof typeof SCENARIOS;

/** A change that breaks a promise, and how soon a simulation finds that. */
export interface SimulatedMutant extends Change {
	readonly id: string;
	/** Within how many seeds, from 1 on, it is found. @default 50 */
	readonly seeds?: number;
}

/** A history that breaks a promise. */
export interface Failure {
	readonly plan: Plan;
	readonly error: Error;
}

/** Plays one history. @returns how it breaks a promise, if it does. */
export async function play(subject: Subject, scenario: Scenario, plan: Plan): Promise<Failure | undefined> {
	try {
		await SCENARIOS[scenario](subject, plan);
		return undefined;
	} catch (error) {
		return { plan, error: error instanceof Error ? error : new Error(String(error)) };
	}
}

/** Leaves out every fault without which the history still breaks the same promise. */
export async function shorten(subject: Subject, scenario: Scenario, failure: Failure): Promise<Failure> {
	let shortest = failure;
	for (let fault = 0; fault < MOST_FAULTS; fault++) {
		const omitted = new Set([...(shortest.plan.omitted ?? []), fault]);
		const found = await play(subject, scenario, { ...failure.plan, omitted });
		if (found !== undefined && kindOf(found) === kindOf(failure)) shortest = found;
	}
	return shortest;
}

/** More than a history has. */
const MOST_FAULTS = 12;

/** The broken promise, without the names of this history. */
function kindOf({ error }: Failure): string {
	return error.message.replace(/\b(message|order)-\d+\b|\d+/g, "");
}

/** A history as a story: each line has the time, who did something, and what. */
export async function tell(subject: Subject, scenario: Scenario, { plan, error }: Failure): Promise<string> {
	const story: string[] = [];
	await SCENARIOS[scenario](subject, plan, story).catch(() => undefined);
	const omitted = plan.omitted === undefined ? "" : `, without the faults ${[...plan.omitted].join(", ")}`;
	return [`seed ${plan.seed}${omitted}: ${error.message}`, ...story].join("\n");
}
