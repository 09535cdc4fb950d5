import type { Random } from "../random.ts";
import { FAULTS, type Fault, STEPS, type Strike } from "./settings.ts";

/** What happens to a send: at most one strike at its worker, or one fault on its way. */
export interface Scenario {
	readonly strike?: Strike | undefined;
	readonly fault?: Fault | undefined;
}

/** Every strike before every step, every fault, and nothing. */
export const SCENARIOS: readonly Scenario[] = [
	...STEPS.flatMap((before): Scenario[] => [
		{ strike: { kind: "kill", before } },
		{ strike: { kind: "stop", before } },
	]),
	...FAULTS.map((fault): Scenario => ({ fault })),
	{},
];

/** A send that is to be made once, and what is known of it. */
export interface PlannedSend {
	readonly key: string;
	readonly to: string;
	/** With the contact it tells which key a message is of. */
	readonly text: string;
	readonly hasCallback: boolean;
	readonly scenario: Scenario;
	/** Whether its jobs go to two workers at once. */
	readonly isRaced: boolean;
	/** Whether somebody decides to send again if it is unresolved. */
	readonly isDecided: boolean;
	/** Whether its strike or fault has happened. */
	isStruck: boolean;
	/** Decisions to send again. */
	decisions: number;
	/** Whether a worker reported it as accepted. */
	isReported: boolean;
}

/** How many sends one contact gets: more than it may get without a reply. */
const SENDS_OF_CONTACT = 12;
/** Each sixth text is that of the send before it, to another contact. */
const EQUAL_EVERY = 6;

/** Plans sends: each scenario in turn, in any order, once with and once without callbacks. */
export class Plan {
	readonly sends: PlannedSend[] = [];
	readonly #random: Random;
	readonly #contacts: number;

	constructor(count: number, random: Random) {
		this.#random = random;
		this.#contacts = Math.max(3, Math.ceil(count / SENDS_OF_CONTACT));
		const scenarios = random.shuffle(SCENARIOS);
		for (let at = 0; at < count; at++) this.#add(scenarios[(at >> 1) % scenarios.length] ?? {});
	}

	/** Plans one more send for each scenario that has not happened: its sends were struck by others'. */
	addMissing(happened: Readonly<Record<string, number>>): PlannedSend[] {
		const isMissing = (scenario: Scenario): boolean => {
			const name = nameOf(scenario);
			return name !== undefined && happened[name] === undefined;
		};
		return SCENARIOS.filter(isMissing).map((scenario) => this.#add(scenario));
	}

	#add(scenario: Scenario): PlannedSend {
		const at = this.sends.length;
		const isEqual = at % EQUAL_EVERY === EQUAL_EVERY - 1;
		const send: PlannedSend = {
			key: `send-${at}`,
			to: `+1555764${String(at % this.#contacts).padStart(4, "0")}`,
			text: `Order ${isEqual ? at - 1 : at} is on its way`,
			hasCallback: at % 2 === 0,
			scenario,
			isRaced: this.#random.chance(0.3),
			isDecided: this.#random.chance(0.4),
			isStruck: false,
			decisions: 0,
			isReported: false,
		};
		this.sends.push(send);
		return send;
	}
}

/** The name of a scenario in the report; `undefined` if nothing happens. */
export function nameOf({ strike, fault }: Scenario): string | undefined {
	return strike ? `${strike.kind} before ${strike.before}` : fault;
}

export const SCENARIO_NAMES = SCENARIOS.map(nameOf).filter((name) => name !== undefined);
