import type { Outcome } from "../errors.ts";
import { combineOutcomes } from "./retry.ts";

/** What is known of a call while its attempts are made. */
export class CallFate {
	#attempts = 0;
	#outcome: Outcome = "not_sent";
	#isSending = false;

	/** How many attempts were begun. */
	get attempts(): number {
		return this.#attempts;
	}

	/** What the attempts that have ended say; what is under way may be carried out. */
	get outcome(): Outcome {
		return this.#isSending ? combineOutcomes(this.#outcome, "unknown") : this.#outcome;
	}

	/** An attempt is begun. */
	begin(): void {
		this.#attempts += 1;
	}

	/** The attempt is sent: from now on it may be carried out. */
	send(): void {
		this.#isSending = true;
	}

	/** The attempt has ended; what that says is noted next. */
	receive(): void {
		this.#isSending = false;
	}

	/** Takes an attempt's fate in, and hands it on. */
	note(outcome: Outcome): Outcome {
		this.#outcome = combineOutcomes(this.#outcome, outcome);
		return outcome;
	}
}
