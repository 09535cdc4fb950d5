/**
 * Sends signed texts and stores each reply once, with Express and PostgreSQL; app.test.ts tests both. Reads PORT,
 * DATABASE_URL and the variables of the client and the webhooks from the environment.
 */
import { MessagingGateway } from "messaging-gateway";
import pg from "pg";
import { createApp, createTables } from "./app.ts";

const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
// Without a listener, a connection that breaks while it is idle ends the process.
pool.on("error", (error) => console.error(error.message));

await createTables(pool);
const app = createApp({ gateway: new MessagingGateway(), pool });

const port = Number(process.env["PORT"] ?? 3000);
const server = app.listen(port, () => console.log(`listening on port ${port}`));

process.once("SIGTERM", () => {
	// Open requests get their response first.
	server.close(() => pool.end());
});
