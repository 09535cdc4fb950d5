import { playChat } from "./chat.ts";
import { openDynamodbStore } from "./dynamodb.ts";
import { playFirsts } from "./firsts.ts";
import { playInbox } from "./inbox.ts";
import type { Change } from "./load-subject.ts";
import type { PlayedPostgres } from "./postgres.ts";
import type { PlayedRedis } from "./redis.ts";
import { openMemorySends, openPostgresSends, openSqliteSends } from "./send-stores.ts";
import { playSends } from "./sends.ts";
import { openMemoryStore, openPostgresStore, openRedisStore, openSqliteStore } from "./stores.ts";
import type { Subject } from "./subject.ts";
import { playWebhooks } from "./webhooks.ts";
import { FIRST_CLOCK_EVENT, type Plan, Violation } from "./world.ts";

/** Plays one history. @throws Violation if it breaks a promise. */
export type Scenario = (subject: Subject, plan: Plan, story?: string[]) => Promise<void>;

/** What is played without a server, by name. */
export const SCENARIOS = {
	webhooks: (...history) => playWebhooks(openMemoryStore, ...history),
	"webhooks-sqlite": (...history) => playWebhooks(openSqliteStore, ...history),
	"webhooks-dynamodb": (...history) => playWebhooks(openDynamodbStore, ...history),
	"firsts-dynamodb": playFirsts,
	sends: (...history) => playSends(openMemorySends, ...history),
	"sends-sqlite": (...history) => playSends(openSqliteSends, ...history),
	chat: playChat,
} as const satisfies Record<string, Scenario>;

/** What is played over a PostgreSQL, by name. */
export function postgresScenarios(postgres: PlayedPostgres) {
	return {
		"webhooks-postgres": (...history) => playWebhooks(openPostgresStore(postgres), ...history),
		"sends-postgres": (...history) => playSends(openPostgresSends(postgres), ...history),
		inbox: (...history) => playInbox(postgres, ...history),
	} as const satisfies Record<string, Scenario>;
}

/** What is played over a Redis, by name. */
export function redisScenarios(redis: PlayedRedis) {
	return {
		"webhooks-redis": (...history) => playWebhooks(openRedisStore(redis), ...history),
	} as const satisfies Record<string, Scenario>;
}

/** A change that breaks a promise, and how soon a simulation finds that. */
export interface SimulatedMutant extends Change {
	readonly id: string;
	/** Within how many seeds, from 1 on, it is found. @default 50 */
	readonly seeds?: number;
}

/** A history that breaks a promise. */
export interface Failure {
	readonly plan: Plan;
	readonly error: Violation;
}

/** Plays one history. @returns how it breaks a promise, if it does. @throws what is no matter of a promise. */
export async function play(subject: Subject, scenario: Scenario, plan: Plan): Promise<Failure | undefined> {
	try {
		await scenario(subject, plan);
		return undefined;
	} catch (error) {
		if (!(error instanceof Violation)) throw error;
		return { plan, error };
	}
}

/** Leaves out every fault without which the history still breaks the same promise. */
export async function shorten(subject: Subject, scenario: Scenario, failure: Failure): Promise<Failure> {
	let shortest = failure;
	for (const fault of NUMBERS) {
		const omitted = new Set([...(shortest.plan.omitted ?? []), fault]);
		const found = await play(subject, scenario, { ...failure.plan, omitted });
		if (found !== undefined && kindOf(found) === kindOf(failure)) shortest = found;
	}
	return shortest;
}

/** The numbers of faults, and of what happens to clocks: more than a history has. */
const NUMBERS = [0, FIRST_CLOCK_EVENT].flatMap((first) => Array.from({ length: 12 }, (_, at) => first + at));

/** The broken promise, without the names of this history. */
function kindOf({ error }: Failure): string {
	return error.message.replace(/\b(message|order)-\d+\b|\d+/g, "");
}

/** A history as a story: each line has the time, who did something, and what. */
export async function tell(subject: Subject, scenario: Scenario, { plan, error }: Failure): Promise<string> {
	const story: string[] = [];
	await scenario(subject, plan, story).catch(() => undefined);
	const omitted = plan.omitted === undefined ? "" : `, without the faults ${[...plan.omitted].join(", ")}`;
	return [`seed ${plan.seed}${omitted}: ${error.message}`, ...story].join("\n");
}
