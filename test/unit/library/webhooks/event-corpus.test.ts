import { observeSend } from "messaging-gateway/sends";
import { conversationOf, verifyWebhook, WebhookVerificationError } from "messaging-gateway/webhooks";
import { beforeAll, describe, expect, test } from "vitest";
import { CALLBACK, CORPUS } from "../../../support/event-corpus.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { createWorld, KEY, TEXT } from "../sends/sender-world.ts";
import { describeEvent } from "./described-event.ts";

const { local, sender, store } = createWorld();
/** The callback of a send that was accepted. */
let callback = "";

beforeAll(async () => {
	await sender.send(KEY, TEXT);
	callback = local.sent[0]?.status_callback ?? "";
	expect(callback).not.toBe("");
});

describe.each(Object.entries(CORPUS))("%s", (outcome, deliveries) => {
	const rows = deliveries.map(([title, body]) => [title, body] as const);
	test.each(rows)("%s", async (_title, body) => {
		expect(await outcomeOf(body)).toBe(outcome);
	});
});

/** What handler, chat and sender get of a body that is rightly signed. */
async function outcomeOf(given: object | string | Uint8Array): Promise<string> {
	const isRaw = typeof given === "string" || given instanceof Uint8Array;
	const body = isRaw ? given : JSON.stringify(given).replace(`"${CALLBACK}"`, JSON.stringify(callback));
	try {
		const event = verifyWebhook(deliver(body), receiver());
		const described = describeEvent(event, JSON.parse(new TextDecoder().decode(Buffer.from(body))));
		if (described === "unknown type") return described;
		const hasChat = conversationOf(event) !== undefined;
		const proves = (await observeSend(store, event)) !== undefined;
		return [described, ...(hasChat ? [] : ["no chat"]), ...(proves ? ["proves the send"] : [])].join(" · ");
	} catch (error) {
		if (!(error instanceof WebhookVerificationError)) throw error;
		return `${error.status} ${error.code}`;
	}
}
