import { recordResponseBody } from "../fixed-response.ts";
import { openClients } from "../open-clients.ts";
import type { SpeedTable } from "../table.ts";

/** A call of a client whose fetch responds at once, so that only the client is measured. */
export const table: SpeedTable = {
	title: "A client's call, on a fetch that responds at once",
	async *openCases() {
		const body = await recordResponseBody();
		const fetch = async (_url: string, init: RequestInit = {}): Promise<Response> => {
			if (init.method?.toUpperCase() !== "POST" || !init.body)
				throw new Error("a POST with a body is expected");
			return new Response(body, { status: 200, headers: { "Content-Type": "application/json" } });
		};
		const contenders = await openClients({ baseUrl: "http://localhost:1", fetch }, body);
		yield { name: "1 in flight", contenders };
		yield { name: "16 in flight", contenders, concurrency: 16 };
	},
};
