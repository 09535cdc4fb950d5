import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ReceiverSettings } from "./receiver.ts";

/** A receiver in a process of its own. */
export interface RunningReceiver {
	readonly url: string;
	/** How many events it has processed. */
	countProcessed(): Promise<number>;
	stop(): void;
}

/** Starts a receiver, and waits until it listens. */
export async function startReceiver(settings: ReceiverSettings): Promise<RunningReceiver> {
	const receiver = fork(fileURLToPath(new URL("receiver.ts", import.meta.url)), {
		execArgv: ["--no-warnings"],
		env: { ...process.env, NODE_ENV: "production" },
	});
	receiver.send(settings);
	const [port] = await once(receiver, "message");
	return {
		url: `http://127.0.0.1:${port}`,
		async countProcessed() {
			receiver.send("how many?");
			const [processed] = await once(receiver, "message");
			return Number(processed);
		},
		stop() {
			receiver.kill();
		},
	};
}
