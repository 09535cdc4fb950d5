import pg from "pg";
import { expect, test } from "vitest";
import { answerWith } from "../../examples/modules/chat/answer-once.ts";
import { share } from "../support/shared/shared.ts";
import { CONTACT, createChatWorld } from "../unit/library/chat/chat-world.ts";

test("an event that runs again posts the words that were kept, and asks the model once", async () => {
	const pool = new pg.Pool({ connectionString: (await share("postgres")).url });
	const { local, bot, adapter, take, texts } = createChatWorld({ withoutSender: true });
	let asked = 0;
	await answerWith(bot, async () => `answer ${++asked}`, pool);
	await local.contact(CONTACT).reply("Hello");
	const event = await take();
	await adapter.process(event);
	await adapter.process(event);
	expect(texts()).toEqual(["answer 1", "answer 1"]);
	await pool.end();
});
