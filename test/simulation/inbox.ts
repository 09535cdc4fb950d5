import type { InboxClient } from "messaging-gateway/stores/postgres";
import type { InboxContext } from "messaging-gateway/webhooks";
import { chooseWork, Deliveries, isUndisturbed, type Run, SECRET } from "./deliveries.ts";
import type { PlayedClient, PlayedPostgres } from "./postgres.ts";
import type { Subject } from "./subject.ts";
import { type Plan, Process, World } from "./world.ts";

const TIMES = { maxHandlerMs: 25_000, storeTimeoutMs: 2_000 };

const STRAGGLES_MS = [0, 100, 1_000, 6_000, 30_000];

/** Longer than anything goes on that a run has left behind. */
const QUIET_MS = 200_000;

type Context = InboxContext<InboxClient<PlayedClient>>;

/** Plays receivers whose handlers work in the inbox's transactions, and a gateway that delivers until each event is acknowledged. */
export async function playInbox(
	postgres: PlayedPostgres,
	subject: Subject,
	plan: Plan,
	story?: string[],
): Promise<void> {
	const world = new World(plan, story);
	const { random } = world;
	const server = new Process(world, "server", true);
	const deliveries = new Deliveries(world, subject);
	/** The runs that gave up or failed, and those that nothing interrupted, by message. */
	const failed = new Set<number>();
	const givenUp = new Set<string>();
	const settled = new Map<string, Run>();
	let count = 0;
	await postgres.begin(world);

	/** The record of an event and what its run did commit together. */
	async function look(message: string): Promise<void> {
		const { rows } = await postgres.query("SELECT key FROM messaging_gateway_records", []);
		const isRecorded = rows.some(({ key }) => key !== null && isRecordOf(message, String(key)));
		const effects = await postgres.query("SELECT xmin, run FROM effects WHERE message = $1", [message]);
		const commits = new Set(effects.rows.map(({ xmin }) => xmin));
		const runs = effects.rows.map(({ run }) => Number(run));
		if (commits.size > 1) world.fail(`${message} has effects of ${commits.size} transactions`);
		else if (runs.some((run) => failed.has(run))) world.fail(`${message} has effects of a failed run`);
		else if (!isRecorded && runs.length > 0) world.fail(`${message} has an effect and no record`);
		else if (!isRecorded) world.fail(`${message} is acknowledged and was not processed`);
		else if (runs.length === 0 && !givenUp.has(message)) world.fail(`${message} has a record and no effect`);
	}

	function isRecordOf(message: string, key: string): boolean {
		return key.startsWith("event:") && deliveries.messageIn(key) === message;
	}

	async function work(process: Process, message: string, context: Context): Promise<void> {
		const { transaction, signal } = context;
		const run: Run = { process, signal, startedAt: world.now };
		const number = ++count;
		const hidesSleep = process.hidesSleep(TIMES.maxHandlerMs);
		if (transaction.isOver && !hidesSleep)
			world.fail(`a run of ${message} starts when its transaction is over`);
		const before = settled.get(message);
		if (before !== undefined && isUndisturbed(before, TIMES.maxHandlerMs) && !hidesSleep)
			world.fail(`${message} runs again after a run that no fault disturbed`);
		signal.addEventListener("abort", () => {
			const isOver = world.now - run.startedAt >= TIMES.maxHandlerMs;
			if (!isOver && isUndisturbed(run, TIMES.maxHandlerMs))
				world.fail(`a run was interrupted without a reason: ${signal.reason}`);
		});
		world.tell(process, `runs ${message}`);
		const fail = (): Promise<unknown> => transaction.query("SELECT 1 / 0", []);
		const chosen = chooseWork(world);
		const write = (): Promise<unknown> =>
			transaction.query("INSERT INTO effects VALUES ($1, $2)", [message, number]);
		const straggles = random.chance(0.2);
		if (straggles) void straggle(process, random.chance(0.5) ? write : fail).catch(() => undefined);
		for (const part of chosen.before) {
			await process.sleep(part);
			if (transaction.isBroken && !signal.aborted)
				world.fail(`a run of ${message} has lost its connection, and its signal has not fired`);
			if (chosen.isHeedful) signal.throwIfAborted();
		}
		if (chosen.hasEffect || chosen.ending === "finished") await write();
		const isBroken = world.misfortune(0.1);
		if (isBroken) await fail().catch(() => undefined);
		if (random.chance(0.1)) await transaction.query("COMMIT", []).catch(() => undefined);
		// The next transaction of the connection finds no names, as behind a pooler that changes servers.
		if (random.chance(0.1)) await transaction.query("DEALLOCATE ALL", []).catch(() => undefined);
		for (const part of chosen.after) await process.sleep(part);
		if (chosen.ending !== "finished") failed.add(number);
		if (chosen.ending === "given up") {
			givenUp.add(message);
			throw new subject.PermanentWebhookError("it can never succeed");
		}
		if (chosen.ending === "failed") throw new Error("the handler failed");
		if (!signal.aborted && !isBroken && !straggles) settled.set(message, run);
	}

	/** What a handler has started and does not await. */
	async function straggle(process: Process, statement: () => Promise<unknown>): Promise<void> {
		await process.sleep(random.pick(STRAGGLES_MS));
		await statement();
	}

	await deliveries.play({
		createHandler: (process) =>
			subject.createWebhookHandler({
				...TIMES,
				secret: SECRET,
				clock: process.clock,
				inbox: subject.postgresInbox(postgres.poolOf(world, process)),
				on: {
					inbound_message: ({ data }, context) => work(process, data.messageId, context),
					status: ({ data }, context) => work(process, data.messageId, context),
					unknown: () => world.fail("an event is not as it was sent"),
				},
				onError: () => undefined,
			}),
		acknowledges: (message) => void server.call(`look at ${message}`, () => look(message)),
	});
	// What is left of a run may still commit.
	let isQuiet = false;
	server.clock.setTimer(() => {
		isQuiet = true;
	}, QUIET_MS);
	await world.run(() => isQuiet);
	for (const message of deliveries.messages()) await look(message);
	await world.run(() => true);
}
