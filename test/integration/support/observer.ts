import { json } from "node:stream/consumers";
import { type RunningServer, serve } from "../../support/serve.ts";

/** What `onError` of an observed handler received. */
export interface ObservedReport {
	readonly code?: string;
	readonly hint: string;
}

/** Records over HTTP what a handler does, in this process or in another one. */
export interface Observer extends RunningServer {
	/** The ids of the events whose handler was started, in order. */
	readonly runs: readonly string[];
	readonly reports: readonly ObservedReport[];
	/** Makes handlers that start from now on wait until the returned function is called. */
	hold(): () => void;
	/** How often the handler of an event was started. */
	countRuns(eventId: string): number;
}

export async function startObserver(): Promise<Observer> {
	const runs: string[] = [];
	const reports: ObservedReport[] = [];
	let gate = Promise.resolve();
	const server = await serve(async (request, response) => {
		if (request.url === "/runs") {
			const { eventId } = (await json(request)) as { eventId: string };
			runs.push(eventId);
			await gate;
		} else {
			reports.push((await json(request)) as ObservedReport);
		}
		response.end();
	});
	return {
		...server,
		runs,
		reports,
		hold() {
			const { promise, resolve } = Promise.withResolvers<void>();
			gate = promise;
			return resolve;
		},
		countRuns: (eventId) => runs.filter((run) => run === eventId).length,
	};
}
