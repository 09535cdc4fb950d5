/** Workers: responds with the results. */
import { runHere } from "./run-here.ts";

export default {
	async fetch(): Promise<Response> {
		return Response.json(await runHere({ isBrowser: false, reportsRefusedConnections: false }));
	},
};
