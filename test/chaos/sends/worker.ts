/** A process that sends, and kills or stops itself where it is told to. It prints what became of each job. */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { createSender, type Sender, type SendStore } from "messaging-gateway/sends";
import { Statements } from "../statements.ts";
import { LEASE_MS, openParts } from "./open-parts.ts";
import {
	APP,
	type Job,
	type JobNote,
	type JobResult,
	STRUCK_HEADER,
	type Step,
	type Struck,
} from "./settings.ts";

/** Less than the lease, so that the hint of an unknown outcome has its time, too. */
const ATTEMPT_TIMEOUT_MS = 45_000;

// The pipe closes when the orchestrator dies for any reason.
const lines = createInterface(process.stdin).on("close", () => process.exit());
const parts = await openParts();
const statements = new Statements();
const watched = statements.watch(parts.store);

/** Written at once: the process may end right after it. */
function print(note: JobNote): void {
	writeSync(1, `${JSON.stringify(note)}\n`);
}

/** A sender whose process is struck before a step of this job. */
function createStruckSender({ id, strike, hasCallback }: Job): Sender {
	let isDue = strike !== undefined;
	let writes = 0;

	async function before(step: Step): Promise<void> {
		if (!isDue || strike?.before !== step) return;
		isDue = false;
		if (strike.kind === "stop") return statements.stop(() => print({ id }));
		print({ id });
		process.kill(process.pid, "SIGKILL");
	}

	async function write(make: () => Promise<boolean>): Promise<boolean> {
		await before((["claim", "mark", "record"] as const)[writes++] ?? "done");
		const isWritten = await make();
		if (writes === 3) await before("done");
		return isWritten;
	}

	const store: SendStore = {
		...watched,
		read: async (key) => {
			await before("read");
			return watched.read(key);
		},
		insert: (...given) => write(() => watched.insert(...given)),
		replace: (...given) => write(() => watched.replace(...given)),
	};
	const gateway = new MessagingGateway({
		appId: APP.appId,
		appSecret: async () => {
			await before("sign");
			return APP.appSecret;
		},
		fetch: async (url, init) => {
			if (init?.method !== "POST") return fetch(url, init);
			await before("post");
			const response = await fetch(url, init);
			await before("end");
			return response;
		},
		baseUrl: parts.settings.gatewayUrl,
		clock: parts.clock,
		attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
		// The Date of a response is the machine's.
		correctClockSkew: false,
		logLevel: "off",
	});
	const statusCallback = (token: string): string => `${parts.settings.receiverUrl}/${token}`;
	return createSender({
		gateway,
		store,
		digestSecret: "chaos-digest-secret",
		leaseMs: LEASE_MS,
		...(hasCallback ? { statusCallback } : {}),
	});
}

async function run(job: Job): Promise<JobResult> {
	const { id, key, to, text, fault } = job;
	const struck: Struck = { job: id, fault };
	try {
		const headers = { [STRUCK_HEADER]: JSON.stringify(struck) };
		const result = await createStruckSender(job).send(key, { to, text }, { headers });
		if (result.status !== "unresolved") return { status: result.status };
		return { status: "unresolved", hasEvidence: result.evidence.attempts.length > 0 };
	} catch (error) {
		if (!isMessagingGatewayError(error)) throw error;
		const retryAfterMs = "retryAfterMs" in error ? Number(error.retryAfterMs ?? 0) : 0;
		const code = ("gatewayCode" in error ? error.gatewayCode : undefined) ?? error.code;
		return { status: "error", code, retryAfterMs };
	}
}

lines.on("line", async (line) => {
	const job = JSON.parse(line) as Job;
	print({ id: job.id, result: await run(job) });
});
console.log("ready");
