/** What the channel of examples/modules/agent-runtime is given, so that a test can kill its process at each step. */
import process from "node:process";

/** Kills the process without a warning if the test wants it to die here. */
export function die(step: string): void {
	if (process.env["DIE_AT"] === step) process.kill(process.pid, "SIGKILL");
}

let statements = 0;

/** A client of PostgreSQL that dies around its statements, which are counted from the process's start. */
export function createDyingPool<Pool extends { query(text: string, values?: unknown[]): Promise<unknown> }>(
	pool: Pool,
): Pool {
	const query = async (text: string, values?: unknown[]): Promise<unknown> => {
		const count = ++statements;
		die(`before statement ${count}`);
		const result = await pool.query(text, values);
		die(`after statement ${count}`);
		return result;
	};
	return Object.assign(Object.create(pool), { query });
}

/** `fetch` that dies around a send. */
export async function dyingFetch(...request: Parameters<typeof fetch>): Promise<Response> {
	const [input] = request;
	const isSend = (input instanceof Request ? input.url : String(input)).includes("/message/text");
	if (isSend) die("before the request");
	const response = await fetch(...request);
	if (isSend) die("after the response");
	return response;
}
