import { setTimeout as sleep } from "node:timers/promises";
import { diagnoseAttempt } from "../../control/diagnosis/diagnose-delivery.ts";
import type { Attempt, WebhookKind } from "../../local-gateway/delivery.ts";
import { ATTACKS } from "./attacks.ts";
import { isHandled, type Judgement, judgeAttack, RIGHT } from "./judge.ts";
import { findOtherSignature } from "./other-signatures.ts";
import { judgeRepeat, listRepeats, WHY_ONCE } from "./repeats.ts";
import { type Receiver, Scene } from "./scene.ts";

/** What was sent, what the receiver did, and whether that is right. It holds no secret and nothing of a payload. */
export interface CheckResult extends Judgement {
	readonly name: string;
	readonly sent: string;
	/** The status of each response, with its code if it has one, or why there was none. */
	readonly responses: readonly string[];
	/** Why it matters. */
	readonly why: string;
}

/** How many checks there are for a receiver that acknowledges what is right. */
export function countChecks(receiver: Receiver): number {
	return receiver.kinds.length + ATTACKS.length + listRepeats(receiver).length;
}

/**
 * Attacks a receiver as a stranger and the network could. It ends where responses show nothing any more: the receiver
 * acknowledges nothing, has stopped, or something limits the requests.
 */
export async function* certify(receiver: Receiver): AsyncGenerator<CheckResult, void> {
	const scene = new Scene(receiver);
	for (const [at, kind] of receiver.kinds.entries()) {
		const attempt = await scene.deliver(await scene.sign({ kind }));
		const isFirst = at === 0;
		yield toCheck(
			kind,
			`${KINDS[kind]}, as the gateway delivers it`,
			WHY_ACKNOWLEDGE,
			[attempt],
			await judgeRight(scene, kind, attempt, isFirst),
		);
		if (isFirst && !isHandled(attempt)) return;
	}
	for (const attack of ATTACKS) {
		const attempt = await scene.deliver(await attack.make(scene));
		const { name, sent, why } = attack;
		const end = findEnd([attempt]);
		yield toCheck(name, sent, why, [attempt], end ?? judgeAttack(attack, attempt));
		if (end !== undefined) return;
	}
	if (receiver.readCount !== undefined) await whenStill(receiver.readCount);
	for (const repeat of listRepeats(receiver)) {
		const { attempts, processed } = await countAround(receiver, () => repeat.deliver(scene));
		const end = findEnd(attempts);
		const judgement = end ?? judgeRepeat(repeat, attempts, processed);
		yield toCheck(repeat.name, repeat.sent, WHY_ONCE, attempts, judgement);
		if (end !== undefined) return;
	}
}

const KINDS = {
	inbound_message: "an inbound_message",
	inbound_reaction: "an inbound_reaction",
	status: "a status",
} as const satisfies Readonly<Record<WebhookKind, string>>;

const WHY_ACKNOWLEDGE = "An event without a status from 200 to 299 counts as not delivered.";

/** Statuses that a receiver may have for a signature that it takes for wrong. */
const REJECTING = [400, 401, 403, 422, 500];

const TRY_APP_SECRET =
	"If it may verify with the App Secret by mistake, --try-app-secret finds out; only with a receiver of yours.";

async function judgeRight(
	scene: Scene,
	kind: WebhookKind,
	attempt: Attempt,
	isFirst: boolean,
): Promise<Judgement> {
	const { url, secret } = scene.receiver;
	const diagnosis = diagnoseAttempt({ kind, url }, attempt, { webhookSecret: secret, baseUrl: url });
	if (diagnosis === undefined) return RIGHT;
	const isRejected = isFirst && REJECTING.includes(attempt.recorded.status ?? 0);
	const found = isRejected ? await findOtherSignature(scene) : undefined;
	if (found !== undefined) return found;
	const { cause, reason, fix } = diagnosis;
	return {
		verdict: cause === "slow_response" ? "advice" : "wrong",
		certainty: "certain",
		reason,
		fix: isRejected && scene.receiver.appSecret === undefined ? `${fix} ${TRY_APP_SECRET}` : fix,
	};
}

function toCheck(
	name: string,
	sent: string,
	why: string,
	attempts: readonly Attempt[],
	judgement: Judgement,
): CheckResult {
	const responses = attempts.map(describeResponse);
	return { name, sent, responses, why, ...judgement };
}

/** What makes all further responses meaningless. */
function findEnd(attempts: readonly Attempt[]): Judgement | undefined {
	if (attempts.some(({ failure }) => failure === "nobody_listens")) return STOPPED;
	return attempts.some(({ recorded }) => recorded.status === 429) ? LIMITED : undefined;
}

const LIMITED: Judgement = {
	verdict: "unseen",
	reason: "A limit of requests responded.",
	fix: "Turn the limit off for this test.",
};

const STOPPED: Judgement = {
	verdict: "wrong",
	certainty: "certain",
	reason: "Nobody listens any more: the receiver stopped at what came before.",
	fix: "Read its log, and catch the error, which anyone can cause.",
};

/** A body is shown only if it is a code: anything else may repeat what was sent. */
function describeResponse({ recorded: { status, error }, response }: Attempt): string {
	if (status === undefined) return `no response (${error})`;
	const [code] = /^[a-z_]{2,30}$/.exec(response?.body.trim() ?? "") ?? [];
	return code === undefined ? String(status) : `${status} ${code}`;
}

/** How long to wait until events are counted, which a receiver may process after its response. */
const MAX_COUNTING_MS = 5_000;
const COUNTING_STEP_MS = 250;
/** After so long without a change nothing more is expected. */
const STILL_MS = 1_000;

/** Makes deliveries, and counts the events that are processed meanwhile. */
async function countAround(
	{ readCount }: Receiver,
	deliver: () => Promise<readonly Attempt[]>,
): Promise<{ attempts: readonly Attempt[]; processed: number | undefined }> {
	if (readCount === undefined) return { attempts: await deliver(), processed: undefined };
	const before = await readCount();
	const attempts = await deliver();
	for (let waitedMs = 0; waitedMs < MAX_COUNTING_MS; waitedMs += COUNTING_STEP_MS) {
		if ((await readCount()) > before) break;
		await sleep(COUNTING_STEP_MS);
	}
	return { attempts, processed: (await whenStill(readCount)) - before };
}

/** The count once it stands still. */
async function whenStill(readCount: () => Promise<number>): Promise<number> {
	let count = await readCount();
	let stillMs = 0;
	for (let waitedMs = 0; waitedMs < MAX_COUNTING_MS && stillMs < STILL_MS; waitedMs += COUNTING_STEP_MS) {
		await sleep(COUNTING_STEP_MS);
		const next = await readCount();
		stillMs = next === count ? stillMs + COUNTING_STEP_MS : 0;
		count = next;
	}
	return count;
}
