import type { ChangeSink } from "./change-sink.ts";
import type { Rules } from "./settings.ts";

/** The rules as an item that changed. */
export interface RulesItem {
	readonly type: "rules";
}

/** Turns the rules of the options off and on again. */
export class RuleSwitch {
	/** Whether the options have any rule. */
	readonly isUseful: boolean;
	readonly #feed: ChangeSink<RulesItem>;
	#isOn = true;

	constructor({ windowSeconds, consecutive }: Rules, feed: ChangeSink<RulesItem>) {
		this.isUseful = consecutive !== "off" || Object.values(windowSeconds).some((seconds) => seconds > 0);
		this.#feed = feed;
	}

	get areOn(): boolean {
		return this.isUseful && this.#isOn;
	}

	turn(areOn: boolean): void {
		this.#isOn = areOn;
		this.#feed.changed({ type: "rules" });
	}
}
