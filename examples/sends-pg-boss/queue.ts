import { type ConstructorOptions, PgBoss } from "pg-boss";

export const QUEUE = "notices";

/** A job has the key of its send only: the number and the text are in the table `notices`. */
export interface Notice {
	key: string;
}

/** Connects to the database that DATABASE_URL names, and creates the queue if it is missing. */
export async function connect(options: ConstructorOptions = {}): Promise<PgBoss> {
	const boss = new PgBoss({
		connectionString: process.env["DATABASE_URL"] ?? "postgres://localhost/postgres",
		connectionTimeoutMillis: 2_000,
		...options,
	});
	boss.on("error", (error) => console.error(error.message));
	await boss.start();
	await boss.createQueue(QUEUE, {
		// For a gateway or a network that is down: over half an hour.
		retryLimit: 11,
		retryDelay: 1,
		retryBackoff: true,
		// The job of a killed worker runs again after this. One that runs twice sends once: the key decides.
		expireInSeconds: 60,
	});
	return boss;
}
