import { isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { createSender, type SendInput } from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import { Pool } from "pg";

const connectionString = process.env["DATABASE_URL"];
const pool = new Pool({ connectionString, connectionTimeoutMillis: 2_000, query_timeout: 4_000 });
pool.on("error", (error) => console.error(error.message));
const store = postgresSendStore(pool, { createIfMissing: true });
// It reads MESSAGING_GATEWAY_DIGEST_SECRET.
const sender = createSender({
	gateway: new MessagingGateway(),
	store,
	statusCallback: (token) => `https://app.example/webhooks?send=${token}`,
});

/** Sends in a step. `retryAfter` makes the error with which the engine waits for that long. */
export async function sendInStep(
	stepId: string,
	input: SendInput,
	retryAfter: (message: string, waitMs: number) => Error,
): Promise<string> {
	try {
		const { status } = await sender.send(stepId, input);
		return status; // accepted; or unresolved, and a status event or a person decides
	} catch (error) {
		if (!isMessagingGatewayError(error) || !("retryAfterMs" in error)) throw error;
		throw error.retryAfterMs === undefined ? error : retryAfter(error.message, error.retryAfterMs);
	}
}
