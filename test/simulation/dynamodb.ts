import type { DynamodbClient, DynamodbItem, DynamodbStore } from "messaging-gateway/stores/dynamodb";
import { DynamodbTable } from "../support/dynamodb-table.ts";
import { SeenRecords, type StoreWatcher } from "./stores.ts";
import type { Subject } from "./subject.ts";
import { Process, type World } from "./world.ts";

/** The most that the clocks of two processes differ, in milliseconds. */
export const MAX_CLOCK_SKEW_MS = 5_000;

/** When an item is removed, after the time from which on it may be: in milliseconds. */
const REMOVALS_MS = [0, 30_000, 600_000];

/** How often the client of a process sends a request, how long it waits for a response, and before it sends again. */
const ATTEMPTS = 3;
const REQUEST_MS = 600;
const BACKOFF_MS = 50;

/** A table of DynamoDB, as the stores of processes reach it. */
export async function openDynamodbStore(
	{ dynamodbStore }: Subject,
	world: World,
	watcher?: StoreWatcher,
): Promise<(process: Process) => DynamodbStore> {
	const table = new DynamodbTable({
		returnsItems: world.random.chance(0.5),
		isBehind: () => world.random.chance(0.3),
	});
	const server = new Process(world, "DynamoDB", true);
	const seen = watcher && new SeenRecords(watcher);

	const createClient = (process: Process): DynamodbClient => ({
		getItem: (input) => sendAgain(process, `get ${JSON.stringify(input.Key)}`, () => table.getItem(input)),
		putItem: (input) =>
			sendAgain(process, `put ${JSON.stringify(input.Item)}`, async () => {
				await table.putItem(input);
				const rows = Array.from(table.items.values(), ({ key, state, token, lease_ends_at }) => ({
					key: key?.S,
					state: state?.S,
					token: token?.N,
					lease_ends_at: lease_ends_at?.N,
				}));
				seen?.update(rows);
				const item: DynamodbItem = input.Item;
				const removableAt = Number(item["ttl"]?.N) * 1_000;
				const delayMs = removableAt + world.random.pick(REMOVALS_MS) - world.now;
				server.clock.setTimer(() => table.removeExpired(world.now), delayMs);
			}),
	});

	return (process) => {
		const ownSkewMs = world.random.pick([-1, 0, 1]) * MAX_CLOCK_SKEW_MS;
		const now = (): number => {
			const skewMs = ownSkewMs + process.skewMs;
			return world.now + Math.max(-MAX_CLOCK_SKEW_MS / 2, Math.min(skewMs, MAX_CLOCK_SKEW_MS / 2));
		};
		return dynamodbStore(createClient(process), {
			clock: { ...process.clock, now },
			maxClockSkewMs: MAX_CLOCK_SKEW_MS,
		});
	};
}

/** Sends a request again that failed or got no response, as the client of AWS does by itself. */
async function sendAgain<Value>(
	process: Process,
	label: string,
	effect: () => Promise<Value>,
): Promise<Value> {
	for (let attempt = 1; ; attempt++) {
		try {
			const timeout = process.sleep(REQUEST_MS).then(() => {
				throw new Error("no response");
			});
			return await Promise.race([process.call(label, effect), timeout]);
		} catch (error) {
			const isFinal = error instanceof Error && error.name === "ConditionalCheckFailedException";
			if (isFinal || attempt === ATTEMPTS) throw error;
			await process.sleep(BACKOFF_MS * 2 ** attempt);
		}
	}
}
