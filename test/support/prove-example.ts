import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import type { StartedProcess } from "./started-process.ts";

export const EXAMPLE_SECRET = "example-webhook-secret";

const ALICE = "+15551234567";

/** Sends through a local gateway that delivers to a started example, and expects one line for each event. */
export async function proveExample(example: StartedProcess): Promise<void> {
	await using local = createLocalGateway({
		webhookSecret: EXAMPLE_SECRET,
		deliverTo: `${example.url}/webhooks`,
	});
	await using server = await listen(local);
	const gateway = new MessagingGateway(server.clientOptions);

	local.faults.webhooks.repeat();
	const { message } = await gateway.messages.sendText({ to: ALICE, text: "Hello" });
	await local.settled();
	await local.contact(ALICE).reply("Hi!");
	await local.settled();
	await local.contact(ALICE).react("love");
	await local.settled();

	expect(local.deliveries.map(({ state }) => state)).toEqual(local.deliveries.map(() => "delivered"));
	const { messageId } = message;
	const expected = [
		`${messageId} is sent`,
		`${messageId} is delivered`,
		`${messageId} is read`,
		"a text of 3 characters",
		"a reaction: love",
	];
	// Some frameworks print lines of their own among them.
	const printed = () => example.lines.filter((line) => expected.includes(line));
	await eventually(() => expect(printed()).toEqual(expected));
}
