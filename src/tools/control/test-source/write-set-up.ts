import { type Rules, resolveSettings, type Settings } from "../../local-gateway/settings.ts";
import { literal, objectLiteral } from "./literals.ts";

/** The gateway of a test. */
export interface SetUp extends Pick<Settings, "delays" | "rules"> {
	/** If there are none, the default agent is enough. */
	readonly agents: readonly string[];
}

/** Writes the creation of the gateway, without the defaults. */
export function writeSetUp({ agents, rules, delays }: SetUp): string[] {
	const usual = resolveSettings({});
	const isUsual = agents.length === 0 || literal(agents) === literal(usual.agents);
	const options: [string, string | undefined][] = [
		["clock", "createAdjustableClock({ frozen: true })"],
		["agents", isUsual ? undefined : literal(agents)],
		["rules", writeRules(rules, usual.rules)],
		["delays", writeChanges(delays, usual.delays)],
		["deliverTo", "() => new Response()"],
	];
	return [
		"const local = createLocalGateway({",
		...options.flatMap(([name, source]) => (source === undefined ? [] : [`\t${name}: ${source},`])),
		"});",
		"const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });",
	];
}

function writeRules(rules: Rules, usual: Rules): string | undefined {
	const { windowSeconds, ...choices } = rules;
	const { consecutive } = choices;
	const isOff = consecutive === "off" && Object.values(windowSeconds).every((seconds) => seconds === 0);
	if (isOff) return literal("off");
	const source = objectLiteral([
		["duplicateWindowSeconds", writeChanges(windowSeconds, usual.windowSeconds)],
		...Object.entries(choices).map(([name, value]): [string, string | undefined] => [
			name,
			value === Reflect.get(usual, name) ? undefined : literal(value),
		]),
	]);
	return source === "{}" ? undefined : source;
}

/** Writes the members that differ from the defaults. */
function writeChanges<Values extends Settings["delays"] | Rules["windowSeconds"]>(
	values: Values,
	usual: Values,
): string | undefined {
	const others = new Map(Object.entries(usual));
	const changed = Object.entries(values).filter(([name, value]) => others.get(name) !== value);
	return changed.length === 0 ? undefined : literal(Object.fromEntries(changed));
}
