import { Argument, type Command, Option } from "commander";
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
import { usageError } from "../failure.ts";
import { readDuration } from "../gateway-options.ts";
import { CONTROL_FLAGS, connectTo } from "../local/connect-to.ts";
import type { Terminal } from "../terminal.ts";
import { type AddVerb, declareGroup, declareVerb, type OptionsOf, withHelp } from "../verb.ts";
import { findOperation } from "./call.ts";

/** The options of a kind of fault: those below, and one for each setting that may be absent. */
interface FaultFlags extends OptionsOf<typeof CONTROL_FLAGS> {
	times?: string;
	operation?: string;
	/** A duration is negative. */
	behind?: boolean;
}

const addWebhookFaults = declareGroup(
	"webhook",
	{ summary: "Make the deliveries of the next webhooks fail." },
	Object.entries(WEBHOOK_FAULTS).map(([kind, row]) =>
		declareKind(kind, row, (values, { times }) => {
			const fault = chooseFault(WEBHOOK_FAULTS, kind, values);
			return { type: "webhook_fault", fault, times: readTimes(times) };
		}),
	),
);

const addClear = declareVerb({
	usage: "clear",
	summary: "End all faults.",
	flags: CONTROL_FLAGS,
	run: (terminal, options) => inject(terminal, options, ({ faults }) => faults.clear()),
});

/** Makes the local gateway fail. */
export const addFaultVerbs = declareGroup(
	"fault",
	{
		summary: "Make the local gateway fail for the next requests or webhooks.",
		examples: [
			"npx messaging-gateway fault respond 503 --times 2",
			"npx messaging-gateway fault drop after --operation messages.sendText",
			"npx messaging-gateway fault delay 20 s --times always",
			"npx messaging-gateway fault webhook repeat",
			"npx messaging-gateway fault clear",
		],
	},
	[
		...Object.entries(REQUEST_FAULTS).map(([kind, row]) =>
			declareKind(kind, row, (values, { times, operation }) => {
				const fault = chooseFault(REQUEST_FAULTS, kind, values);
				const operationId = operation === undefined ? undefined : findOperation(operation).id;
				return { type: "request_fault", fault, operationId, times: readTimes(times) };
			}),
		),
		addWebhookFaults,
		addClear,
	],
);

/** Declares a kind, from its row. */
function declareKind(
	kind: string,
	{ summary, settings, lasts }: FaultKind,
	toAction: (values: Readonly<Record<string, unknown>>, options: FaultFlags) => Action,
): AddVerb {
	return (parent, start) => {
		const isOfRequests = kind in REQUEST_FAULTS && parent.name() === "fault";
		const command = withHelp(parent.command(kind.replaceAll("_", "-")), { summary });
		const fields = Object.entries<FaultSetting>(settings).map(([name, setting]) => {
			return { name, read: addSetting(command, name, setting) };
		});
		if (lasts !== "on") command.option("--times <n>", describeTimesOption(lasts));
		if (lasts !== "on" && isOfRequests) command.option("--operation <id>", "only requests of this operation");
		for (const [flag, meaning] of Object.entries(CONTROL_FLAGS)) command.option(flag, meaning);
		const started = start(async (terminal, options: FaultFlags, _given: undefined) => {
			const values = fields.map(({ name, read }) => [name, read(options)]);
			const fault = toAction(Object.fromEntries(values), options);
			await inject(terminal, options, (local) => local.act(fault));
		});
		return command.action(() => started(command.opts(), undefined));
	};
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
): (options: FaultFlags) => string | number | undefined {
	// The words of a duration may be apart, and there is one argument at most.
	const given = (): string => command.args.join(" ");
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
	command.argument(setting.isDuration ? "<duration...>" : `<${name}>`);
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
	options: OptionsOf<typeof CONTROL_FLAGS>,
	add: (local: ConnectedGateway) => Promise<void>,
): Promise<void> {
	const local = await connectTo(options);
	await add(local);
	const faults = await local.faults.active();
	terminal.show({ faults }, () => (faults.length === 0 ? "no faults" : faults.join("\n")));
}
