import { setTimeout as sleep } from "node:timers/promises";
import { listSends, observeSend, type SendStore } from "messaging-gateway/sends";
import { createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { verifyWebhook } from "messaging-gateway/webhooks";
import type { Child, Children } from "../children.ts";
import type { ChaosCommand } from "../options.ts";
import { play } from "../play.ts";
import { Random } from "../random.ts";
import type { ChaosReport } from "../report.ts";
import type { StoreServer } from "../servers.ts";
import { APP, type Job, type JobNote, type JobResult, openSendStore } from "./settings.ts";
import { findWrong, judgeSends, type SendOutcome } from "./verdict.ts";

const WORKER = new URL("worker.ts", import.meta.url);

const FAULTS = { kill: 30, cut: 6, restart: 5, hang: 4, tasks: 300 };

/** How many sends are under way at once, for each worker: a kill hits all that a worker is at. */
const CONCURRENCY = 3;

/** How long a queue waits until it gives an unfinished job to a worker again. */
const RETRY_MS = 200;

/** A send that is to be made once, and what is known of it. */
interface Send extends Omit<Job, "id"> {
	/** Whether its jobs go to two workers at once. */
	readonly isRaced: boolean;
	/** Whether a worker reported it as accepted. */
	isReported: boolean;
	isDone: boolean;
}

/** Makes keyed sends by several workers over one store. Half of them have callbacks, which are observed. */
export async function driveSends(
	startStore: () => Promise<StoreServer>,
	command: ChaosCommand,
): Promise<ChaosReport> {
	await using stack = new AsyncDisposableStack();
	const server = stack.use(await startStore());
	const store = stack.use(await openSendStore(server.store));
	const local = stack.use(createObservedGateway(store));
	const { url: gatewayUrl } = stack.use(await listen(local));
	const random = new Random(command.seed + 1);
	const sends: Send[] = [];
	const errors: Record<string, number> = {};
	let outcomes: readonly SendOutcome[] = [];
	const plan = {
		server,
		script: WORKER,
		settings: { store: server.store, gatewayUrl },
		processes: command.workers,
		tasks: command.sends,
		window: CONCURRENCY * command.workers,
		faults: FAULTS,
	};
	const played = await play(command, plan, (children, over) => {
		const queue = new Queue(children, random, errors);
		const underWay: Promise<void>[] = [];
		const pending = (): string[] => sends.filter(({ isDone }) => !isDone).map(({ key }) => key);
		return {
			make() {
				const send = planSend(sends.length, random);
				sends.push(send);
				underWay.push(queue.finish(send, over));
				return 1;
			},
			done: () => sends.length - pending().length,
			async settle() {
				await Promise.all(underWay);
				// What a status event proves is proven once it has come.
				for (;;) {
					outcomes = await readOutcomes(sends, store, local);
					const { dropped, "unresolved although proven": unproven } = findWrong(outcomes);
					if (over.aborted || dropped.length + unproven.length === 0) return;
					await sleep(RETRY_MS);
				}
			},
			pending: () => [...pending(), ...Object.values(findWrong(outcomes)).flat()],
		};
	});
	outcomes = await readOutcomes(sends, store, local);
	const rows = Object.entries(errors).map(([code, count]) => [`error: ${code}`, count]);
	const raced = sends.filter(({ isRaced }) => isRaced).length;
	const counts = { ...played.counts, ...Object.fromEntries(rows), "two workers at once": raced };
	return { ...judgeSends({ ...played, counts }, outcomes), journal: outcomes };
}

/** Makes the gateway that messages are sent to; its status events are verified and observed here. */
function createObservedGateway(store: SendStore): LocalGateway {
	const secret = "chaos-webhook-secret";
	return createLocalGateway({
		...APP,
		webhookSecret: secret,
		rules: "off",
		async deliverTo(request) {
			const delivery = { body: await request.text(), headers: request.headers };
			await observeSend(store, await verifyWebhook(delivery, { secret }));
			return new Response();
		},
		webhooks: { retryDelaysMs: Array<number>(5_000).fill(RETRY_MS) },
	});
}

function planSend(at: number, random: Random): Send {
	return {
		key: `send-${at}`,
		to: `+1555764${String(at % 50).padStart(4, "0")}`,
		text: `Order ${at} is on its way`,
		hasCallback: at % 2 === 0,
		isRaced: random.chance(0.3),
		isReported: false,
		isDone: false,
	};
}

/** Gives jobs to workers, as a queue would. */
class Queue {
	readonly #workers: Children;
	readonly #random: Random;
	readonly #errors: Record<string, number>;
	readonly #waiting = new Map<number, (result: JobResult) => void>();
	readonly #known = new Set<Child>();
	#jobs = 0;

	constructor(workers: Children, random: Random, errors: Record<string, number>) {
		this.#workers = workers;
		this.#random = random;
		this.#errors = errors;
	}

	/** Repeats a send until a worker knows that it is accepted, or that nobody can know. */
	async finish(send: Send, over: AbortSignal): Promise<void> {
		while (!over.aborted) {
			const jobs = send.isRaced ? [this.#run(send), this.#run(send)] : [this.#run(send)];
			const statuses = (await Promise.all(jobs)).map((result) => result?.status);
			if (statuses.includes("accepted")) send.isReported = true;
			send.isDone = send.isReported || statuses.includes("unresolved");
			if (send.isDone) return;
			await sleep(RETRY_MS);
		}
	}

	/** @returns what a job came to, or `undefined` if its worker was killed. */
	async #run({ key, to, text, hasCallback }: Send): Promise<JobResult | undefined> {
		const worker = this.#workers.choose(this.#random);
		if (!this.#known.has(worker)) {
			this.#known.add(worker);
			worker.lines.on("line", (line) => {
				const { id, result } = JSON.parse(line) as JobNote;
				this.#waiting.get(id)?.(result);
			});
		}
		const job: Job = { id: this.#jobs++, key, to, text, hasCallback };
		const { promise, resolve } = Promise.withResolvers<JobResult>();
		this.#waiting.set(job.id, resolve);
		worker.busy++;
		worker.send(JSON.stringify(job));
		const result = await Promise.race([promise, worker.gone.then(() => undefined)]);
		worker.busy--;
		this.#waiting.delete(job.id);
		if (result?.status === "error") this.#errors[result.code] = (this.#errors[result.code] ?? 0) + 1;
		else if (result) worker.successes++;
		if (result?.status === "error" && result.code === "store_failed") worker.setbacks++;
		return result;
	}
}

/** Compares what the gateway has accepted with what the store knows. */
async function readOutcomes(
	sends: readonly Send[],
	store: SendStore,
	local: LocalGateway,
): Promise<SendOutcome[]> {
	const messages = Map.groupBy(local.sent, ({ text }) => text);
	const known = new Map<string, Pick<SendOutcome, "status" | "hasEvidence">>();
	for (const status of ["open", "unresolved", "accepted", "given_up"] as const) {
		for await (const { key, verdict } of listSends(store, { status })) {
			const hasEvidence = verdict.status === "unresolved" && verdict.evidence.attempts.length > 0;
			known.set(key, { status, hasEvidence });
		}
	}
	return sends.map(({ key, text, hasCallback, isReported }) => ({
		key,
		hasCallback,
		isReported,
		accepted: messages.get(text)?.length ?? 0,
		status: undefined,
		hasEvidence: false,
		...known.get(key),
	}));
}
