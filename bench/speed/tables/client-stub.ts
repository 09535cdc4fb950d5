import { createClients, recordAnswer } from "../clients.ts";
import type { SpeedTable } from "../table.ts";

/** A call of a client whose fetch answers at once, so that nothing but the client is measured. */
export const table: SpeedTable = {
	title: "A client's call, on a fetch that answers at once",
	async *openCases() {
		const answer = await recordAnswer();
		const fetch = async (_url: string, init: RequestInit = {}): Promise<Response> => {
			if (init.method?.toUpperCase() !== "POST" || !init.body)
				throw new Error("a POST with a body is expected");
			return new Response(answer, { status: 200, headers: { "Content-Type": "application/json" } });
		};
		const contenders = await createClients("http://localhost:1", fetch, answer);
		yield { name: "1 in flight", contenders };
		yield { name: "16 in flight", contenders, concurrency: 16 };
	},
};
