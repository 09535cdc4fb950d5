import { createPair } from "../../stores/contenders.ts";
import type { Subject } from "../../stores/subject.ts";
import { openRedis } from "../../stores/subjects/redis.ts";
import type { SpeedTable } from "../table.ts";

/** More than usual, since two processes share the machine. */
const ROUNDS = 25;

/** One event in Redis, beside the two commands that any store needs for it, on the same connection. */
export const table: SpeedTable = {
	title: "An event in the Redis store: claim and complete",
	async *openCases(atEnd) {
		for (const subject of await openRedis(atEnd)) {
			const { store, raw } = createPair(subject, "claim + complete");
			if (raw === undefined) throw new Error("Redis has raw commands");
			for (const concurrency of [1, 8, 64]) {
				yield {
					name: `${packageOf(subject)}, ${concurrency} in flight`,
					concurrency,
					rounds: ROUNDS,
					isWaitCounted: true,
					contenders: [
						{ name: "redisStore", role: "ours", run: store.run },
						{ name: "SET NX PX, SET XX PX", role: "floor", run: raw.run },
					],
				};
				await subject.reset();
			}
		}
	},
};

/** The client's package and version. */
function packageOf({ client }: Subject): string {
	return client.split(",")[0] ?? client;
}
