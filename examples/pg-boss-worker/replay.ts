/**
 * Lists the events that were given up; `--run` processes them again, behind the later events of their conversations.
 * Reads DATABASE_URL from the environment.
 */
import { connect, FAILED, QUEUE } from "./queue.ts";

const boss = await connect({ supervise: false, schedule: false });
const { rows } = await boss
	.getDb()
	.executeSql("SELECT id, data->>'error' AS error FROM pgboss.job WHERE name = $1 ORDER BY created_on", [
		FAILED,
	]);
for (const { id, error } of rows) console.log(`${id}: ${error}`);
if (process.argv.includes("--run")) await boss.redrive(FAILED, { destination: QUEUE });
await boss.stop();
