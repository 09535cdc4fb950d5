import { CLIENTS, type ClientTarget } from "./clients.ts";
import { prove } from "./prove.ts";
import type { Contender } from "./table.ts";

/**
 * Opens every client, each proved to return the response.
 * @param responseBody - the body of every response.
 */
export async function openClients(target: ClientTarget, responseBody: string): Promise<Contender[]> {
	const contenders: Contender[] = [];
	for (const { name, role, open } of CLIENTS) {
		const run = await open(target);
		prove(isResponse(await run(), responseBody), `${name} returns the response`);
		contenders.push({ name, role, run });
	}
	return contenders;
}

/** Whether a client returned what the server sent. */
export function isResponse(returned: unknown, responseBody: string): boolean {
	const { message }: { message: { messageId: string } } = JSON.parse(responseBody).data;
	return JSON.stringify(returned).includes(message.messageId);
}
