/** A process that sends and may be killed at any time. It prints what became of each job. */
import { createInterface } from "node:readline";
import { isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { createSender, type SenderOptions } from "messaging-gateway/sends";
import { readSettings } from "../children.ts";
import {
	APP,
	type Job,
	type JobNote,
	type JobResult,
	openSendStore,
	type WorkerSettings,
} from "./settings.ts";

const { store: address, gatewayUrl } = readSettings<WorkerSettings>();
const options: SenderOptions = {
	gateway: new MessagingGateway({ ...APP, baseUrl: gatewayUrl, attemptTimeoutMs: 1_000, logLevel: "off" }),
	store: await openSendStore(address),
	digestSecret: "chaos-digest-secret",
	leaseMs: 2_000,
	storeTimeoutMs: 1_000,
};
const plain = createSender(options);
const observed = createSender({ ...options, statusCallback: (token) => `https://chaos.test/${token}` });

async function run({ key, to, text, hasCallback }: Job): Promise<JobResult> {
	try {
		const { status } = await (hasCallback ? observed : plain).send(key, { to, text });
		return { status };
	} catch (error) {
		if (!isMessagingGatewayError(error)) throw error;
		return { status: "error", code: error.code };
	}
}

createInterface(process.stdin).on("line", async (line) => {
	const job = JSON.parse(line) as Job;
	const note: JobNote = { id: job.id, result: await run(job) };
	console.log(JSON.stringify(note));
});
console.log("ready");
