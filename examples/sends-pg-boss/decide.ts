/**
 * Lists the notices that are unresolved or open, with their evidence. `KEY accepted`, `KEY send_again` and `KEY give_up` decide on
 * one. Reads the variables of worker.ts from the environment.
 */
import { listSends, resolveSend } from "messaging-gateway/sends";
import { connect, QUEUE } from "./queue.ts";
import { closePools, store } from "./sender.ts";

const [key, decision] = process.argv.slice(2);
if (key === undefined) await list();
else if (decision === "accepted" || decision === "give_up") await resolveSend(store, key, decision);
else if (decision === "send_again") await sendAgain(key);
else console.error("KEY accepted, KEY send_again or KEY give_up");
await closePools();

async function list(): Promise<void> {
	for (const status of ["unresolved", "open"] as const) {
		for await (const { key, verdict } of listSends(store, { status })) {
			console.log(`${key}: ${JSON.stringify(verdict)}`);
		}
	}
}

/** Perhaps the second message. Not possible until ten minutes after the last signing. */
async function sendAgain(key: string): Promise<void> {
	await resolveSend(store, key, "send_again");
	const boss = await connect({ supervise: false, schedule: false });
	await boss.upsert(QUEUE, { key }, { singletonKey: key });
	await boss.stop();
}
