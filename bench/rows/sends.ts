import type { AtEnd, MeasuredContender, OpenCases } from "../cases.ts";
import { withClosing } from "../measure.ts";
import { startServer } from "../receivers/start.ts";
import { recordResponseBody } from "../response-body.ts";
import { FIRST_SENDS, SEND_CPU, SENDER_MEMORY } from "../settings.ts";
import { openSender, SENDERS, type Sender, sendFirst } from "./senders.ts";

const { nodeHttp, fetch, stripe, resend, byHand } = SENDERS;

/** The processor time that a process spends on a send, with 16 in flight. */
export const openSendCpu: OpenCases = async function* (atEnd) {
	const { url, messageId } = await startGateway(atEnd);
	const contenders: MeasuredContender[] = [];
	for (const sender of [nodeHttp, fetch, stripe, byHand]) {
		const sendMany = await openSender(sender, url, messageId, atEnd);
		await sendMany(SEND_CPU.warmUp);
		contenders.push(contender(sender, async () => (await sendMany(SEND_CPU.sends)).cpuNs));
	}
	yield { name: "16 in flight", rounds: SEND_CPU.rounds, contenders };
};

/** The most memory that a process takes while it sends. */
export const openSenderMemory: OpenCases = async function* (atEnd) {
	const { url, messageId } = await startGateway(atEnd);
	const name = `${SENDER_MEMORY.sends.toLocaleString("en")} sends, 16 in flight`;
	const contenders = [nodeHttp, fetch, stripe, byHand].map((sender) =>
		contender(sender, () =>
			withClosing(async (atEndOfRun) => {
				const sendMany = await openSender(sender, url, messageId, atEndOfRun);
				return (await sendMany(SENDER_MEMORY.sends)).rss;
			}),
		),
	);
	yield { name, costUnit: "bytes", rounds: SENDER_MEMORY.rounds, contenders };
};

/** What a new process takes to send for the first time, with the start of Node itself. */
export const openFirstSend: OpenCases = async function* (atEnd) {
	const { url, messageId } = await startGateway(atEnd);
	const contenders = [nodeHttp, fetch, resend, stripe, byHand].map((sender) =>
		contender(sender, () => sendFirst(sender, url, messageId)),
	);
	yield { name: "a new process", rounds: FIRST_SENDS.rounds, contenders };
};

function contender({ name, role }: Sender, run: () => Promise<number>): MeasuredContender {
	return { name, role, measure: async () => ({ cost: await run() }) };
}

/** A server in a process of its own with the same response for all. */
async function startGateway(atEnd: AtEnd) {
	const body = await recordResponseBody();
	const { url } = await startServer({ route: "fixed response", body }, atEnd);
	const { message }: { message: { messageId: string } } = JSON.parse(body).data;
	return { url, messageId: message.messageId };
}
