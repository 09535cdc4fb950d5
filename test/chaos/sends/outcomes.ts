import { setTimeout as sleep } from "node:timers/promises";
import { listSends } from "messaging-gateway/sends";
import type { PlannedSend } from "./plan.ts";
import { findWrong, type SendOutcome } from "./verdict.ts";
import type { SendsWorld } from "./world.ts";

/** What became of all sends. */
interface Outcomes {
	readonly outcomes: readonly SendOutcome[];
	/** Status events that are still on their way. */
	readonly undelivered: number;
}

/** The sends that were certainly not accepted so far. */
export async function findOpen(planned: readonly PlannedSend[], world: SendsWorld): Promise<PlannedSend[]> {
	const { outcomes } = await readCurrent(planned, world);
	return planned.filter((_, at) => outcomes[at]?.status === "open");
}

/** Reads the outcomes once no lease is left and every status event is in, or when the run hangs. */
export async function readOutcomes(
	planned: readonly PlannedSend[],
	world: SendsWorld,
	over: AbortSignal,
): Promise<Outcomes> {
	for (;;) {
		const current = await readCurrent(planned, world);
		const { dropped, unproven } = findWrong(current.outcomes);
		if (over.aborted || dropped.length + unproven.length === 0) return current;
		await sleep(250);
	}
}

async function readCurrent(
	planned: readonly PlannedSend[],
	{ store, gateway }: SendsWorld,
): Promise<Outcomes> {
	const { sent, undelivered } = await gateway.accepted();
	const messages = Map.groupBy(sent, ({ to, text }) => `${to} ${text}`);
	const known = new Map<string, Pick<SendOutcome, "status" | "hasEvidence">>();
	for (const status of ["open", "unresolved", "accepted", "given_up"] as const) {
		for await (const { key, verdict } of listSends(store, { status })) {
			const hasEvidence = verdict.status === "unresolved" && verdict.evidence.attempts.length > 0;
			known.set(key, { status, hasEvidence });
		}
	}
	const outcomes = planned.map(({ key, to, text, hasCallback, decisions, isReported }) => ({
		key,
		hasCallback,
		decisions,
		isReported,
		accepted: messages.get(`${to} ${text}`)?.length ?? 0,
		status: undefined,
		hasEvidence: false,
		...known.get(key),
	}));
	return { outcomes, undelivered };
}
