import { type AnyMessagingGatewayError, isMessagingGatewayError } from "../../../library/errors.ts";
import { MessagingGateway } from "../../../library/messaging-gateway.ts";
import { createAdjustableClock } from "../../local-gateway/adjustable-clock.ts";
import { createGatewayCore } from "../../local-gateway/create-gateway-core.ts";
import type { FaultPlan } from "../../local-gateway/faults.ts";
import type { LocalGateway } from "../../local-gateway/local-gateway.ts";
import type { LocalGatewayOptions, WebhookReceiver } from "../../local-gateway/options.ts";
import { type Rules, resolveSettings, type Settings } from "../../local-gateway/settings.ts";
import { literal } from "./literals.ts";

/** The gateway of a test. */
export type SetUp = Pick<Settings, "agents" | "delays" | "rules">;

/** A call of a test: how it is written, and the same call of the rehearsal. */
export interface Call {
	readonly source: string;
	readonly run: () => PromiseLike<unknown>;
}

/** The place for the application, in a test that has one. */
const SLOT = `/**
 * Fill in: your application's webhook route, with this client, \`local.webhookSecret\` and \`local.clock\`. If it replies
 * after its response, wait for that here.
 */
function createReceiver(gateway: MessagingGateway, local: LocalGateway): WebhookReceiver {
	throw new Error("Fill in createReceiver(): return your application's webhook handler.");
}
`;

/** A local gateway in which a test is tried while it is written, and its client. */
export class Rehearsal implements AsyncDisposable {
	readonly local: LocalGateway;
	readonly faults: FaultPlan;
	readonly gateway: MessagingGateway;
	readonly #options: LocalGatewayOptions;

	constructor(setUp: SetUp, deliverTo: WebhookReceiver = () => new Response()) {
		this.#options = toOptions(setUp);
		const clock = createAdjustableClock({ frozen: true });
		const core = createGatewayCore({ ...this.#options, clock, deliverTo });
		this.local = core.local;
		this.faults = core.faults;
		this.gateway = new MessagingGateway({ ...this.local.clientOptions, maxRetries: 0, logLevel: "off" });
	}

	/** Makes a call. @returns the line of a test that expects the same result, and the error if there was one. */
	async perform({ source, run }: Call): Promise<{ line: string; error?: AnyMessagingGatewayError }> {
		try {
			await run();
			return { line: `await ${source};` };
		} catch (error) {
			if (!isMessagingGatewayError(error)) throw error;
			const expected = literal(describeError(error));
			return { line: `await expect(${source}).rejects.toMatchObject(${expected});`, error };
		}
	}

	/** Writes the file of a test with such a gateway, perhaps with a place for the application. */
	writeFile(what: string, title: string, lines: readonly string[], hasSlot = false): string {
		const options = Object.entries(this.#options).flatMap(([name, value]) =>
			value === undefined ? [] : [`\t${name}: ${literal(value)},`],
		);
		const body = [
			"const local = createLocalGateway({",
			"\tclock: createAdjustableClock({ frozen: true }),",
			...options,
			...(hasSlot ? ["\tdeliverTo: (request) => receive(request),"] : []),
			"});",
			"const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });",
			...(hasSlot ? ["const receive = createReceiver(gateway, local);"] : []),
			...lines,
		];
		const types = hasSlot ? ", type LocalGateway, type WebhookReceiver" : "";
		return [
			`// ${what} the local gateway, written down by its console.`,
			'import { MessagingGateway } from "messaging-gateway";',
			`import { createAdjustableClock, createLocalGateway${types} } from "messaging-gateway/testing";`,
			'import { expect, test } from "vitest";',
			"",
			...(hasSlot ? [SLOT] : []),
			`test(${literal(title)}, async () => {`,
			...body.map((line) => (line === "" ? line : `\t${line}`)),
			"});",
			"",
		].join("\n");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.local.close();
	}
}

/** What a test expects of an error. */
function describeError(error: AnyMessagingGatewayError): object {
	const gatewayCode = gatewayCodeOf(error);
	if (gatewayCode !== undefined) return { gatewayCode };
	return "outcome" in error ? { outcome: error.outcome } : { code: error.code };
}

export function gatewayCodeOf(error: AnyMessagingGatewayError | undefined): string | undefined {
	return error !== undefined && "gatewayCode" in error ? error.gatewayCode : undefined;
}

/** The options that differ from the defaults; without agents, the default agent is enough. */
function toOptions({ agents, delays, rules: { windowSeconds, ...choices } }: SetUp): LocalGatewayOptions {
	const usual = resolveSettings({});
	const isUsual = agents.length === 0 || literal(agents) === literal(usual.agents);
	const rules = changed(
		{ duplicateWindowSeconds: changed(windowSeconds, usual.rules.windowSeconds), ...choices },
		{ duplicateWindowSeconds: undefined, ...usual.rules },
	);
	return {
		agents: isUsual ? undefined : agents,
		rules: isOff({ windowSeconds, ...choices }) ? "off" : rules,
		delays: changed(delays, usual.delays),
	};
}

function isOff({ windowSeconds, consecutive }: Rules): boolean {
	return consecutive === "off" && Object.values(windowSeconds).every((seconds) => seconds === 0);
}

/** The members that differ from the defaults. */
function changed<Values extends object>(values: Values, usual: object): Partial<Values> | undefined {
	const defaults = new Map<string, unknown>(Object.entries(usual));
	const others = { ...values };
	for (const name in others) if (defaults.get(name) === others[name]) delete others[name];
	return Object.keys(others).length === 0 ? undefined : others;
}
