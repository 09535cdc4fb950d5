import type { Change, FailureDiagnosis } from "../../control/contract.ts";
import { BoundedMap } from "../../local-gateway/bounded-map.ts";
import { explain, safeNameOf } from "../local/lines.ts";
import type { Terminal } from "../terminal.ts";

/** How many webhooks and causes are remembered. */
const MAX_REMEMBERED = 1_000;

/** What failed, how often, and why. */
interface Failure {
	readonly what: string;
	readonly diagnosis: FailureDiagnosis;
	times: number;
}

/** Counts what happens while `dev` runs. */
export class RunSummary {
	readonly #counts = { sent: 0, received: 0, delivered: 0, failed: 0, kept: 0 };
	/** The state and the attempts already counted, by event id. */
	readonly #webhooks = new BoundedMap<string, { state: string; attempts: number }>(MAX_REMEMBERED);
	readonly #failures = new BoundedMap<string, Failure>(MAX_REMEMBERED);
	/** The place of the newest message: later changes of an older one do not count. */
	#newest: number;

	/** @param newest - the place of the newest message before the start. */
	constructor(newest: number) {
		this.#newest = newest;
	}

	note(change: Change): void {
		if (change.type === "message" && change.message.sequence > this.#newest) {
			this.#newest = change.message.sequence;
			this.#counts[change.message.outbound ? "sent" : "received"]++;
		}
		if (change.type === "request" && !change.request.probe)
			this.#noteFailure(`← ${safeNameOf(change.request)}`, change.request.diagnosis);
		if (change.type === "delivery") {
			const { eventId, kind, state, attempts } = change.delivery;
			const before = this.#webhooks.get(eventId) ?? { state: "pending", attempts: 0 };
			this.#webhooks.set(eventId, { state, attempts: attempts.length });
			if (state !== before.state) {
				if (before.state in this.#counts) this.#count(before.state, -1);
				this.#count(state, 1);
			}
			for (const attempt of attempts.slice(before.attempts))
				this.#noteFailure(`→ ${kind}`, attempt.diagnosis);
		}
	}

	#count(state: string, change: 1 | -1): void {
		if (state === "delivered" || state === "failed" || state === "kept") this.#counts[state] += change;
	}

	#noteFailure(what: string, diagnosis: FailureDiagnosis | undefined): void {
		if (diagnosis === undefined) return;
		const key = `${what} ${diagnosis.cause}`;
		const times = this.#failures.get(key)?.times ?? 0;
		this.#failures.set(key, { what, diagnosis, times: times + 1 });
	}

	/** As an object, for machines. */
	toJson() {
		const { sent, received, delivered, failed, kept } = this.#counts;
		const { what, times, diagnosis } = this.#commonest ?? {};
		const { cause, reason, fix } = diagnosis ?? {};
		const failedMost = what === undefined ? undefined : { what, times, cause, reason, fix };
		return { messages: { sent, received }, webhooks: { delivered, failed, kept }, failedMost };
	}

	/** In lines, for people; empty if nothing happened. */
	describe(terminal: Terminal): string {
		const { sent, received, delivered, failed, kept } = this.#counts;
		const messages = sent + received === 0 ? [] : [`messages: ${sent} sent, ${received} received`];
		const without = kept === 0 ? "" : `, ${kept} kept until there is a URL`;
		const webhooks =
			delivered + failed + kept === 0 ? [] : [`webhooks: ${delivered} delivered, ${failed} failed${without}`];
		const commonest = this.#commonest;
		const why =
			commonest === undefined
				? []
				: [
						`failed most: ${commonest.what}, ${commonest.times === 1 ? "once" : `${commonest.times} times`}${explain(terminal, commonest.diagnosis)}`,
					];
		return [...messages, ...webhooks, ...why].join("\n");
	}

	get #commonest(): Failure | undefined {
		return [...this.#failures.values()].reduce<Failure | undefined>(
			(most, failure) => (failure.times > (most?.times ?? 0) ? failure : most),
			undefined,
		);
	}
}
