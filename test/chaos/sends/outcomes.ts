import { listSends } from "messaging-gateway/sends";
import { until } from "../until.ts";
import type { PlannedSend } from "./plan.ts";
import { judgeSends, type SendOutcome } from "./verdict.ts";
import type { SendsWorld } from "./world.ts";

/** The sends that were certainly not accepted so far. */
export async function findOpen(
	planned: readonly PlannedSend[],
	{ store }: SendsWorld,
): Promise<PlannedSend[]> {
	const open = new Set<string>();
	for await (const { key } of listSends(store, { status: "open" })) open.add(key);
	return planned.filter(({ key }) => open.has(key));
}

/** Reads the outcomes once no lease is left and every status event is in. */
export async function readOutcomes(
	planned: readonly PlannedSend[],
	world: SendsWorld,
): Promise<readonly SendOutcome[]> {
	let outcomes: readonly SendOutcome[] = [];
	const isSettled = async (): Promise<boolean> => {
		outcomes = await readCurrent(planned, world);
		const { dropped, unproven } = judgeSends(outcomes);
		return dropped.length + unproven.length === 0;
	};
	await until(isSettled, { everyMs: 250 });
	return outcomes;
}

async function readCurrent(
	planned: readonly PlannedSend[],
	{ store, gateway }: SendsWorld,
): Promise<readonly SendOutcome[]> {
	const known = new Map<string, Pick<SendOutcome, "status" | "hasEvidence">>();
	for (const status of ["open", "unresolved", "accepted", "given_up"] as const) {
		for await (const { key, verdict } of listSends(store, { status })) {
			const hasEvidence = verdict.status === "unresolved" && verdict.evidence.attempts.length > 0;
			known.set(key, { status, hasEvidence });
		}
	}
	const messages = Map.groupBy(await gateway.sent(), ({ to, text }) => `${to} ${text}`);
	return planned.map(({ key, to, text, hasCallback, decisions, isReported }) => ({
		key,
		hasCallback,
		decisions,
		isReported,
		accepted: messages.get(`${to} ${text}`)?.length ?? 0,
		status: undefined,
		hasEvidence: false,
		...known.get(key),
	}));
}
