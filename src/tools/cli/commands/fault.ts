import { Argument, type Command, Option } from "commander";
import { OPERATIONS, type OperationId } from "../../../library/catalogue/index.ts";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { usageError } from "../failure.ts";
import { type ControlOptions, connectTo, withControlOptions } from "../local/control-options.ts";
import { readDuration } from "../local/read-duration.ts";
import type { Terminal } from "../terminal.ts";

interface WebhookFaultOptions extends ControlOptions {
	times?: string;
}

interface RequestFaultOptions extends WebhookFaultOptions {
	operation?: OperationId;
}

interface RespondOptions extends RequestFaultOptions {
	retryAfter?: string;
}

interface SkewOptions extends ControlOptions {
	behind?: boolean;
}

const WEBHOOK_FAULTS = {
	repeat: "repeat",
	tamper: "tamper",
	stale: "stale",
	"wrong-signature": "wrongSignature",
	"out-of-order": "outOfOrder",
} as const;

/** Adds the verb that makes the local gateway fail. */
export function addFaultCommand(program: Command, action: ActionMaker): void {
	const fault = program
		.command("fault")
		.description("Make the local gateway fail for the next requests or webhooks.")
		.addHelpText(
			"after",
			examples(
				"messaging-gateway fault respond 503 --times 2 --operation messages.sendText",
				"messaging-gateway fault drop after",
				"messaging-gateway fault delay 20s --times always",
				"messaging-gateway fault webhook repeat",
				"messaging-gateway fault clear",
			),
		);
	forRequests(fault.command("respond <status>"))
		.description("Respond with a status instead of processing the request.")
		.option("--retry-after <seconds>", "the Retry-After header")
		.action(
			action(async (terminal, status: string, options: RespondOptions) => {
				const retryAfterSeconds =
					options.retryAfter === undefined ? undefined : readCount("--retry-after", options.retryAfter);
				const response = { status: readCount("status", status), retryAfterSeconds, ...filterOf(options) };
				return inject(terminal, options, ({ faults }) => faults.respond(response));
			}),
		);
	forRequests(fault.command("delay <duration>"))
		.description("Respond late.")
		.action(
			action(async (terminal, duration: string, options: RequestFaultOptions) => {
				const ms = readDuration(duration);
				return inject(terminal, options, ({ faults }) => faults.delay(ms, filterOf(options)));
			}),
		);
	forRequests(fault.command("drop").addArgument(new Argument("<when>").choices(["before", "after"])))
		.description("Break the connection before or after the request is processed.")
		.action(
			action(async (terminal, when: "before" | "after", options: RequestFaultOptions) => {
				return inject(terminal, options, ({ faults }) =>
					faults.dropConnection({ when, ...filterOf(options) }),
				);
			}),
		);
	forRequests(
		fault.command("corrupt").addArgument(new Argument("<as>").choices(["html", "truncated", "empty"])),
	)
		.description("Process the request, and corrupt the response.")
		.action(
			action(async (terminal, as: "html" | "truncated" | "empty", options: RequestFaultOptions) => {
				return inject(terminal, options, ({ faults }) => faults.corrupt({ as, ...filterOf(options) }));
			}),
		);
	withControlOptions(fault.command("skew <duration>"))
		.description("Set the gateway's clock ahead for signatures, until it is cleared.")
		.option("--behind", "behind instead of ahead")
		.action(
			action(async (terminal, duration: string, options: SkewOptions) => {
				const ms = readDuration(duration);
				return inject(terminal, options, ({ faults }) => faults.skewClock(options.behind ? -ms : ms));
			}),
		);
	withTimes(
		withControlOptions(
			fault
				.command("webhook")
				.addArgument(new Argument("<kind>").choices([...Object.keys(WEBHOOK_FAULTS), "delay"]))
				.argument("[duration]", "how late, for delay"),
		),
	)
		.description("Repeat, alter, backdate, wrongly sign, reorder or delay the next webhooks.")
		.action(
			action(async (terminal, kind: string, duration: string | undefined, options: WebhookFaultOptions) => {
				const times = timesOf(options);
				return inject(terminal, options, ({ faults }) => {
					if (kind === "delay") return faults.webhooks.delay(readDuration(duration ?? ""), times);
					// Commander has checked the kind.
					return faults.webhooks[WEBHOOK_FAULTS[kind as keyof typeof WEBHOOK_FAULTS]](times);
				});
			}),
		);
	withControlOptions(fault.command("clear"))
		.description("End all faults.")
		.action(
			action(async (terminal, options: ControlOptions) => {
				return inject(terminal, options, ({ faults }) => faults.clear());
			}),
		);
}

function forRequests(command: Command): Command {
	const operation = new Option("--operation <id>", "only requests of this operation");
	return withTimes(withControlOptions(command)).addOption(operation.choices(OPERATIONS.map(({ id }) => id)));
}

function withTimes(command: Command): Command {
	return command.option("--times <n>", "how many, or `always` until it is cleared (default: 1)");
}

/** Injects a fault, and shows all that are active. */
async function inject(
	terminal: Terminal,
	options: ControlOptions,
	add: (local: ConnectedGateway) => Promise<void>,
): Promise<undefined> {
	const local = await connectTo(options);
	await add(local);
	const faults = await local.faults.active();
	terminal.show({ faults }, () => (faults.length === 0 ? "no faults" : faults.join("\n")));
	return undefined;
}

function filterOf({ operation, ...options }: RequestFaultOptions) {
	return { operationId: operation, ...timesOf(options) };
}

function timesOf({ times }: WebhookFaultOptions): { times: number | undefined } {
	if (times === undefined) return { times: undefined };
	return { times: times === "always" ? Number.POSITIVE_INFINITY : readCount("--times", times) };
}

function readCount(name: string, value: string): number {
	if (/^\d{1,6}$/.test(value)) return Number(value);
	throw usageError(`${name} must be a non-negative integer`);
}
