import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Argument, type Command } from "commander";
import { MAX_TIMER_MS } from "../../../library/runtime.ts";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import type { DeliveryView, MessageView, RequestView } from "../../control/contract.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { CommandFailure } from "../failure.ts";
import { type ControlOptions, connectTo, withControlOptions } from "../local/control-options.ts";
import { readDuration } from "../local/read-duration.ts";
import { deliveryLine, messageLine, requestLine } from "../local/traffic-lines.ts";
import type { Terminal } from "../terminal.ts";

interface WaitOptions extends ControlOptions {
	search?: string;
	failed?: boolean;
	status?: string;
	timeout: string;
}

/** What can be waited for. */
interface Awaited<Item> {
	/** The newest item that the options select. */
	find(local: ConnectedGateway, options: WaitOptions): Promise<Item | undefined>;
	line(terminal: Terminal, item: Item): string;
}

const POLL_MS = 200;

/** How many of the newest items are searched. */
const LIMIT = 500;

const message: Awaited<MessageView> = {
	async find(local, { search, failed, status }) {
		const { items } = await local.messages({ search, failed, limit: LIMIT });
		return items.findLast((item) => status === undefined || item.status === status);
	},
	line: messageLine,
};

const request: Awaited<RequestView> = {
	async find(local, { search, failed, status }) {
		const { items } = await local.requests({ search, failed, limit: LIMIT });
		return items.findLast((item) => status === undefined || String(item.status) === status);
	},
	line: requestLine,
};

const delivery: Awaited<DeliveryView> = {
	async find(local, { search, failed, status }) {
		const { items } = await local.deliveries({ search, failed, limit: LIMIT });
		return items.findLast(({ attempts, state }) =>
			status === undefined
				? state === "delivered" || state === "failed"
				: String(attempts.at(-1)?.status) === status,
		);
	},
	line: deliveryLine,
};

const AWAITED = { message, request, delivery } as const;

type What = keyof typeof AWAITED | "settled";

/** Adds the verb that waits until something has happened in the local gateway. */
export function addWaitCommand(program: Command, action: ActionMaker): void {
	withControlOptions(
		program.command("wait").addArgument(new Argument("<what>").choices([...Object.keys(AWAITED), "settled"])),
	)
		.description(
			"Wait for a message, a request or a webhook in the local gateway, or until it has nothing left to do.",
		)
		.option("--search <text>", "with this in an id, a number or a text")
		.option("--status <status>", "with this status: of the message, or of the response")
		.option("--failed", "only what failed")
		.option("--timeout <duration>", "how long", "30s")
		.addHelpText(
			"after",
			`${examples(
				"messaging-gateway wait message --search Hello --status read",
				"messaging-gateway wait request --search messages.sendText --status 202",
				"messaging-gateway wait settled",
			)}

What is already there counts. A webhook counts when it is delivered or given up. \`wait settled\`
moves the gateway's time forward to each next task. The exit code is 1 when the time is up.`,
		)
		.action(
			action(async (terminal, what: What, options: WaitOptions) => {
				const timeoutMs = readDuration(options.timeout);
				if (what === "settled") {
					await settle(options, timeoutMs);
					terminal.show({ ok: true }, () => "settled");
					return undefined;
				}
				const local = await connectTo(options);
				if (what === "message") await waitFor(message, { terminal, local, options, timeoutMs });
				else if (what === "request") await waitFor(request, { terminal, local, options, timeoutMs });
				else await waitFor(delivery, { terminal, local, options, timeoutMs });
				return undefined;
			}),
		);
}

async function settle(options: WaitOptions, timeoutMs: number): Promise<void> {
	const timeIsUp = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS));
	try {
		const local = await connectTo(options, timeIsUp);
		await local.settled();
	} catch (error) {
		if (!timeIsUp.aborted) throw error;
		throw new CommandFailure(`the gateway had not settled within ${options.timeout}, and goes on`, {
			hint: "A receiver that does not respond takes 10 s for each attempt: see `messaging-gateway deliveries`.",
		});
	}
}

interface Waiting {
	readonly terminal: Terminal;
	readonly local: ConnectedGateway;
	readonly options: WaitOptions;
	readonly timeoutMs: number;
}

async function waitFor<Item>(
	{ find, line }: Awaited<Item>,
	{ terminal, local, options, timeoutMs }: Waiting,
): Promise<void> {
	const endsAt = performance.now() + timeoutMs;
	let found = await find(local, options);
	while (found === undefined && performance.now() < endsAt) {
		await sleep(POLL_MS);
		found = await find(local, options);
	}
	if (found === undefined) throw new CommandFailure(`nothing matched within ${options.timeout}`);
	const item = found;
	terminal.show(item, () => line(terminal, item));
}
