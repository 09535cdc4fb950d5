import { recordResponseBody, startFixedServer } from "../fixed-response.ts";
import { openClients } from "../open-clients.ts";
import type { SpeedTable } from "../table.ts";

/** A call of a client over HTTP, to a server in its own process on this machine. */
export const table: SpeedTable = {
	title: "A client's call, over local HTTP",
	async *openCases(atEnd) {
		const body = await recordResponseBody();
		const baseUrl = await startFixedServer(body, atEnd);
		const contenders = await openClients({ baseUrl }, body);
		yield { name: "1 in flight", contenders, isWaitCounted: true };
		yield { name: "16 in flight", contenders, isWaitCounted: true, concurrency: 16 };
	},
};
