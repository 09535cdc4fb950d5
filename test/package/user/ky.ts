import ky, { type KyInstance } from "ky";
import { MessagingGateway } from "messaging-gateway";
import { ApiError, fetchThrough, type Outcome, signedKy } from "messaging-gateway/ky";

const api: KyInstance = signedKy({ baseUrl: "https://gateway.example", appId: "app-1", appSecret: "secret" });

interface Chat {
	pinned: boolean;
}

/** Calls a path that no method covers. */
export async function pinChat(chat: string): Promise<boolean> {
	const { data } = await api.post("chat/pin", { json: { chat } }).json<{ data: Chat }>();
	return data.pinned;
}

/** What is known of a call that the gateway rejected. */
export function outcomeOf(error: unknown): Outcome | undefined {
	return error instanceof ApiError ? error.outcome : undefined;
}

/** The client through an instance with hooks of its own, and through the platform's own `fetch`. */
export const gateways = [
	new MessagingGateway({ fetch: fetchThrough(ky.create({ headers: { "X-Trace": "1" } })) }),
	new MessagingGateway({ fetch: fetchThrough((url, init) => fetch(url, init)) }),
];
