import { inspect } from "node:util";
import type { MessagingGateway } from "messaging-gateway";
import { settle } from "../../../support/counting-clock.ts";
import { type SentRequest, type Step, scriptGateway } from "../../../support/scripted-gateway.ts";

/** What a call printed. */
export interface Seen {
	error: unknown;
	/** Logs, hooks and every way to print the error, its cause, the call and the client. */
	shown: string;
	requests: readonly SentRequest[];
}

/** Makes a call that fails or succeeds, and collects everything that anyone could print of it. */
export async function watch(
	steps: readonly Step[],
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
): Promise<Seen> {
	const lines: unknown[] = [];
	const log = (line: unknown) => lines.push(line);
	const hook = (info: unknown) => lines.push(inspect(info, { depth: 10 }), JSON.stringify(info));
	const { gateway, clock, requests } = scriptGateway(steps, {
		logger: { debug: log, info: log, warn: log, error: log },
		logLevel: "debug",
		hooks: {
			onRequest: hook,
			onResponse: hook,
			onRetry: hook,
			onError: hook,
			aroundAttempt: async (_info, run) => hook(await run()),
			aroundCall: async (_info, run) => hook(await run()),
		},
	});
	const made = call(gateway);
	const error = await settle(clock, made).then(
		() => undefined,
		(reason: unknown) => reason,
	);
	const things = [gateway, made, error, (error as Error | undefined)?.cause];
	const shown = things.flatMap((thing) => [
		inspect(thing, { depth: 10 }),
		JSON.stringify(thing) ?? "",
		String(thing),
	]);
	if (error instanceof Error) shown.push(error.message, error.stack ?? "", JSON.stringify({ ...error }));
	return { error, shown: [...lines, ...shown].join("\n"), requests };
}
