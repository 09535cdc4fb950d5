import { CHAT_MUTANTS } from "./chat-mutants.ts";
import { loadSubject } from "./load-subject.ts";
import { type Failure, play, type Scenario, type SimulatedMutant } from "./play.ts";
import { SEND_MUTANTS } from "./send-mutants.ts";
import { SLEEP_MUTANTS } from "./sleep-mutants.ts";
import {
	DYNAMODB_MUTANTS,
	FIRSTS_MUTANTS,
	INBOX_MUTANTS,
	POSTGRES_MUTANTS,
	REDIS_MUTANTS,
	SQL_MUTANTS,
	SQL_SEND_MUTANTS,
} from "./store-mutants.ts";
import { WEBHOOK_MUTANTS } from "./webhook-mutants.ts";

/** Changes that break a promise, by the scenario that finds them. */
export const MUTANTS = {
	webhooks: [...WEBHOOK_MUTANTS, ...SLEEP_MUTANTS.webhooks],
	"webhooks-sqlite": SQL_MUTANTS,
	"webhooks-redis": REDIS_MUTANTS,
	"webhooks-postgres": POSTGRES_MUTANTS,
	"webhooks-dynamodb": [...DYNAMODB_MUTANTS, ...SLEEP_MUTANTS["webhooks-dynamodb"]],
	"firsts-dynamodb": FIRSTS_MUTANTS,
	sends: [...SEND_MUTANTS, ...SLEEP_MUTANTS.sends],
	"sends-sqlite": SQL_SEND_MUTANTS,
	inbox: [...INBOX_MUTANTS, ...SLEEP_MUTANTS.inbox],
	chat: [...CHAT_MUTANTS, ...SLEEP_MUTANTS.chat],
} as const satisfies Record<string, readonly SimulatedMutant[]>;

/** The first history in which a mutant breaks a promise. */
export async function findMutant(
	scenario: Scenario,
	mutant: SimulatedMutant,
	seeds: number = seedsOf(mutant),
): Promise<Failure | undefined> {
	const subject = await loadSubject(mutant);
	for (let seed = 1; seed <= seeds; seed++) {
		const failure = await play(subject, scenario, { seed });
		if (failure !== undefined) return failure;
	}
	return undefined;
}

/** Within how many seeds a mutant is found. */
export function seedsOf({ seeds = 50 }: SimulatedMutant): number {
	return seeds;
}
