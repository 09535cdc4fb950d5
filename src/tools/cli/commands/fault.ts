import { Argument, type Command, Option } from "commander";
import { OPERATIONS, type OperationId } from "../../../library/catalogue/index.ts";
import type { Action, FaultTimes } from "../../control/action.ts";
import type { ConnectedGateway } from "../../control/client/connect.ts";
import {
	chooseFault,
	type FaultKind,
	type FaultSetting,
	type NumberSetting,
	REQUEST_FAULTS,
	WEBHOOK_FAULTS,
} from "../../local-gateway/fault-kinds.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { usageError } from "../failure.ts";
import { type ControlOptions, connectTo, withControlOptions } from "../local/control-options.ts";
import { readDuration } from "../local/read-duration.ts";
import type { Terminal } from "../terminal.ts";

/** The options of a kind of fault: those below, and one for each setting that may be absent. */
interface FaultOptions extends ControlOptions {
	times?: string;
	operation?: OperationId;
	/** A duration is negative. */
	behind?: boolean;
}

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
	for (const [kind, row] of Object.entries(REQUEST_FAULTS)) {
		const command = addKind(fault, kind, row, action, (values, { times, operation: operationId }) => {
			const chosen = chooseFault(REQUEST_FAULTS, kind, values);
			return { type: "request_fault", fault: chosen, operationId, times: readTimes(times) };
		});
		if (row.lasts === "on") continue;
		const operation = new Option("--operation <id>", "only requests of this operation");
		command.addOption(operation.choices(OPERATIONS.map(({ id }) => id)));
	}
	const webhook = fault.command("webhook").description("Make the deliveries of the next webhooks fail.");
	for (const [kind, row] of Object.entries(WEBHOOK_FAULTS)) {
		addKind(webhook, kind, row, action, (values, { times }) => {
			const chosen = chooseFault(WEBHOOK_FAULTS, kind, values);
			return { type: "webhook_fault", fault: chosen, times: readTimes(times) };
		});
	}
	withControlOptions(fault.command("clear"))
		.description("End all faults.")
		.action(
			action(async (terminal, options: ControlOptions) => {
				return inject(terminal, options, ({ faults }) => faults.clear());
			}),
		);
}

/** Adds the command of a kind, from its row. */
function addKind(
	parent: Command,
	kind: string,
	{ summary, settings, lasts }: FaultKind,
	action: ActionMaker,
	toAction: (values: Readonly<Record<string, unknown>>, options: FaultOptions) => Action,
): Command {
	const command = withControlOptions(parent.command(kind.replaceAll("_", "-"))).description(summary);
	if (lasts !== "on") command.option("--times <n>", describeTimesOption(lasts));
	const fields = Object.entries<FaultSetting>(settings).map(([name, setting]) => {
		return { name, read: addSetting(command, name, setting) };
	});
	return command.action(
		action(async (terminal, ..._given: unknown[]) => {
			const options = command.opts<FaultOptions>();
			const values = fields.map(({ name, read }) => [name, read(options)]);
			const fault = toAction(Object.fromEntries(values), options);
			return inject(terminal, options, (local) => local.act(fault));
		}),
	);
}

function describeTimesOption(lasts: FaultKind["lasts"]): string {
	return lasts === "once"
		? "how many (default: 1)"
		: "how many, or `always` until it is cleared (default: 1)";
}

/** Adds the argument or the option of a setting. @returns what reads its value once the command runs. */
function addSetting(
	command: Command,
	name: string,
	setting: FaultSetting,
): (options: FaultOptions) => string | number | undefined {
	const at = command.registeredArguments.length;
	const given = (): string => command.args[at] ?? "";
	if ("words" in setting) {
		command.addArgument(new Argument(`<${name}>`).choices(setting.words));
		return given;
	}
	const { option } = setting;
	if (option !== undefined) {
		const added = new Option(option, setting.label);
		command.addOption(added);
		return () => {
			const value: unknown = command.getOptionValue(added.attributeName());
			return typeof value === "string" ? readNumber(added.long ?? name, value, setting) : undefined;
		};
	}
	command.argument(setting.isDuration ? "<duration>" : `<${name}>`);
	if (setting.minimum >= 0) return () => readNumber(name, given(), setting);
	command.option("--behind", "behind instead of ahead");
	return ({ behind }) => (behind ? -1 : 1) * readNumber(name, given(), setting);
}

function readNumber(name: string, value: string, { isDuration, minimum, maximum }: NumberSetting): number {
	if (isDuration) return readDuration(value);
	const number = Number(value);
	if (/^\d{1,6}$/.test(value) && number >= minimum && number <= maximum) return number;
	throw usageError(`${name} must be an integer from ${minimum} to ${Math.min(maximum, 999_999)}`);
}

function readTimes(times: string | undefined): FaultTimes | undefined {
	if (times === undefined || times === "always") return times;
	if (/^\d{1,6}$/.test(times)) return Number(times);
	throw usageError("--times must be a non-negative integer, or always");
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
