/**
 * Lists the turns that failed for good, and the replies that may have been sent. `--turns` takes the turns again, `--send ID`
 * sends a reply again, and `--skip ID` goes on without it. Reads DATABASE_URL from the environment.
 */
import { connect, FAILED_TURNS, pool, REPLIES } from "./database.ts";

const boss = await connect({ supervise: false, schedule: false });
const [option, id] = process.argv.slice(2);
if (option === "--turns") console.log(`${await boss.redrive(FAILED_TURNS)} turns are taken again`);
else if (option === "--send" && id !== undefined) await boss.retry(REPLIES, id);
else if (option === "--skip" && id !== undefined) await boss.deleteJob(REPLIES, id);
else await list();
await boss.stop();
await pool.end();

async function list(): Promise<void> {
	const { total } = await boss.previewRedrive(FAILED_TURNS);
	console.log(`${total} turns failed`);
	const { rows } = await pool.query(
		"SELECT id, output FROM pgboss.job WHERE name = $1 AND state = 'failed' ORDER BY created_on",
		[REPLIES],
	);
	for (const row of rows) console.log(`${row.id}: ${JSON.stringify(row.output)}`);
}
