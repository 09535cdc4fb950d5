/**
 * Lists the events that have failed for good; `--run` gives each one more attempt, before the later events of its conversation.
 * Reads DATABASE_URL from the environment.
 */
import { connect, QUEUE } from "./queue.ts";

const boss = await connect({ supervise: false, schedule: false });
const { rows } = await boss
	.getDb()
	.executeSql("SELECT id, output FROM pgboss.job WHERE name = $1 AND state = 'failed' ORDER BY created_on", [
		QUEUE,
	]);
for (const { id, output } of rows) console.log(`${id}: ${JSON.stringify(output)}`);
if (rows.length > 0 && process.argv.includes("--run")) {
	await boss.retry(
		QUEUE,
		rows.map(({ id }) => id),
	);
}
await boss.stop();
