import { setImmediate as nextTurn } from "node:timers/promises";
import { createWebhookHandler, memoryStore, signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import type { Action } from "../../../../src/tools/control/action.ts";
import { checkInput } from "../../../../src/tools/control/check-input.ts";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { ACTIONS, action } from "../../../../src/tools/control/schemas/actions.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { AGENT, ALICE, BOB } from "../../../support/signed-client.ts";

const rejected = (message: string | RegExp) => ({
	name: "ControlRejection",
	code: "rejected",
	message: expect.stringMatching(message),
});
const invalid = (message: string | RegExp) => ({
	code: "invalid_action",
	message: expect.stringMatching(message),
});

describe("an invalid action gets an error that names what is wrong", () => {
	test.each<[unknown, RegExp]>([
		[undefined, /^It must be one of reply, react, /],
		["reply", /^It must be one of/],
		[{ type: "dance" }, /^type must be one of/],
		[{ type: "toString" }, /^type must be one of/],
		[{ type: "reply", from: ALICE }, /^text is required\.$/],
		[{ type: "reply", from: "55", text: "Hi" }, /^from must be an e-mail address, a short code/],
		[{ type: "reply", from: ALICE, text: "" }, /^It must have a text or attachments\.$/],
		[
			{ type: "reply", from: ALICE, text: "Hi", too: AGENT },
			/^It has an unknown field: "too" \(did you mean "to"\?\)\.$/,
		],
		[
			{ type: "reply", from: ALICE, text: "", attachments: [{ name: "a", mimeType: "b", data: "AA==" }] },
			/^attachments\.0\.mimeType/,
		],
		[
			{ type: "reply", from: ALICE, text: "", attachments: [{ name: "a", mimeType: "a/b", data: "%" }] },
			/^attachments\.0\.data must be base64/,
		],
		[{ type: "react", from: ALICE, reaction: "" }, /^reaction must not be empty/],
		[{ type: "advance_clock", ms: -1 }, /^ms must be at least 0/],
		[{ type: "advance_clock", ms: 1e15 }, /^ms must be at most/],
		[{ type: "advance_clock", ms: null }, /^ms must be a number/],
		[
			{ type: "destinations", inboundWebhookUrl: "ftp://a.example" },
			/^inboundWebhookUrl must be an absolute http/,
		],
		[
			{ type: "request_fault", fault: { kind: "respond", status: 99 } },
			/^fault\.status must be at least 200/,
		],
		[
			{ type: "request_fault", fault: { kind: "delay", ms: 5 }, operationId: "messages.send" },
			/^operationId must be the id/,
		],
		[
			{ type: "request_fault", fault: { kind: "skew", ms: 5 }, times: 2 },
			/^It must not have operationId or times/,
		],
		[{ type: "request_fault", fault: { kind: "delay", ms: 5 }, times: 0 }, /^times must be at least 1/],
		[
			{ type: "webhook_fault", fault: { kind: "repeat" }, times: "always" },
			/^It must have a number as times/,
		],
		[
			{ type: "webhook_fault", fault: { kind: "lose" } },
			/^fault\.kind must name its kind, one of tamper, wrong_signature,/,
		],
		[
			{ type: "request_fault", fault: { kind: "toString" } },
			/^fault\.kind must name its kind, one of respond, delay,/,
		],
		[{ type: "webhook_fault", fault: "tamper" }, /^fault must name its kind, one of tamper,/],
		[{ type: "webhook_fault", fault: { kind: "tamper", ms: 5 } }, /^fault has an unknown field: use kind\.$/],
	])("%j", async (action, message) => {
		const { control, changes } = createWatchedGateway();
		await expect(control.act(action)).rejects.toMatchObject(invalid(message));
		expect(changes).toEqual([]);
	});
});

describe("every action is accepted with its fields alone", () => {
	const ACCEPTED: readonly Action[] = [
		{
			type: "reply",
			from: ALICE,
			text: "Hi",
			attachments: [{ name: "a", mimeType: "image/png", data: "AA==" }],
		},
		{ type: "react", from: ALICE, reaction: "love", messageGuid: "guid" },
		{ type: "read", from: ALICE },
		{ type: "advance_clock", ms: 1_000 },
		{ type: "redeliver", eventId: "evt_1", body: "{}" },
		{ type: "deliver", eventId: "evt_1", kind: "status", body: "{}" },
		{ type: "agent_online", agentNumber: ALICE, isOnline: false },
		{ type: "destinations", inboundWebhookUrl: "", statusWebhookUrl: null },
		{ type: "request_fault", fault: { kind: "respond", status: 503 }, operationId: "health.check", times: 2 },
		{ type: "request_fault", fault: { kind: "skew", ms: -1_000 } },
		{ type: "webhook_fault", fault: { kind: "delay", ms: 5 }, times: "always" },
		{ type: "webhook_fault", fault: { kind: "out_of_order" } },
		{ type: "webhook_fault", fault: { kind: "repeat_attempt", response: "copy" } },
		{ type: "rules", areOn: false },
		{ type: "clear_faults" },
		{ type: "settle" },
		{ type: "reset" },
	];
	const check = (value: unknown) => checkInput(action, value, "invalid_action");

	test("each kind is among them", () => {
		expect(new Set(ACCEPTED.map(({ type }) => type))).toEqual(new Set(Object.keys(ACTIONS)));
	});

	test.each(ACCEPTED)("$type", async (accepted) => {
		expect(await check(accepted)).toEqual(accepted);
		const names = [...Object.keys(accepted), "extra"];
		for (const name of names) {
			await expect(check({ ...accepted, [name]: [[]] }), name).rejects.toMatchObject(invalid(""));
		}
	});
});

test.each([
	[{ type: "reply", from: ALICE, text: "Hi", groupId: "nope" }, "no group"],
	[{ type: "react", from: ALICE, reaction: "like" }, "nothing was sent"],
	[{ type: "react", from: ALICE, reaction: "like", messageGuid: "nope" }, "No message has this id"],
	[{ type: "agent_online", agentNumber: "+15550009999", isOnline: true }, "No agent has this number"],
	[{ type: "destinations", statusWebhookUrl: "http://a.example/status" }, "statusWebhookUrl must"],
])("what is impossible is rejected, with the reason: %j", async (action, reason) => {
	await expect(createWatchedGateway().control.act(action)).rejects.toMatchObject(rejected(reason));
});

describe("a contact", () => {
	test("writes in a group", async () => {
		const { gateway, control } = createWatchedGateway();
		const { message } = await gateway.messages.sendText({ participants: [ALICE, BOB], text: "Hi all" });
		const groupId = message.groupId ?? "";
		const inGroup = await control.act({ type: "reply", from: BOB, text: "Hi", groupId });
		expect(inGroup?.message.groupId).toBe(groupId);
	});

	test("is within the gateway's limits", async () => {
		const { control } = createWatchedGateway();
		const reply = (fields: object) => control.act({ type: "reply", from: ALICE, text: "", ...fields });
		const file = { name: "a", mimeType: "a/b", data: "AAAA" };
		const large = { ...file, data: "AAAA".repeat(10_000_002 / 3) };
		await expect(reply({ text: "🎉".repeat(9_499) })).rejects.toMatchObject(rejected("18996"));
		await expect(reply({ attachments: Array(11).fill(file) })).rejects.toMatchObject(rejected("10 items"));
		await expect(reply({ attachments: [large] })).rejects.toMatchObject(rejected("10000000 bytes"));
	});
});

describe("moving the clock past retries", () => {
	/** A message whose receiver fails: over a network it responds some turns of the event loop later. */
	async function createFailingDelivery() {
		const { local, control } = createWatchedGateway({
			async deliverTo() {
				for (let turn = 0; turn < 20; turn++) await nextTurn();
				return new Response(null, { status: 500 });
			},
		});
		await local.contact(ALICE).reply("Hi");
		const advance = (ms: number) => control.act({ type: "advance_clock", ms });
		return { control, advance, now: control.snapshot().now };
	}

	test("makes every attempt that falls due, at its time", async () => {
		const { control, advance, now } = await createFailingDelivery();
		await advance(3_600_000);
		const [delivery] = control.deliveries({}).items;
		expect(delivery?.state).toBe("failed");
		const secondsAfter = delivery?.attempts.map(({ at }) => (at - now) / 1_000);
		expect(secondsAfter).toEqual([0, 1, 3, 7, 15, 31]);
		expect(control.snapshot().now).toBe(now + 3_600_000);
	});

	test("makes none that is due later", async () => {
		const { control, advance } = await createFailingDelivery();
		await advance(6_999);
		expect(control.deliveries({}).items).toMatchObject([{ state: "pending", attempts: { length: 3 } }]);
		await advance(1);
		expect(control.deliveries({}).items).toMatchObject([{ attempts: { length: 4 } }]);
	});

	test("two moves at once add up", async () => {
		const { control, advance, now } = await createFailingDelivery();
		await Promise.all([advance(60_000), advance(60_000)]);
		expect(control.snapshot().now).toBe(now + 120_000);
	});
});

describe("redelivery", () => {
	test("is one more attempt with the same id, which may have another result", async () => {
		const statuses = [200, 500, 200];
		const eventIds: (string | null)[] = [];
		const { local, control } = createWatchedGateway({
			deliverTo: (request) => {
				eventIds.push(request.headers.get("X-SVC-Event-Id"));
				return new Response(null, { status: statuses.shift() ?? 200 });
			},
		});
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		const stateOf = () => control.deliveries({}).items[0]?.state;
		const eventId = local.deliveries[0]?.eventId ?? "";
		await control.act({ type: "redeliver", eventId });
		await local.settled();
		expect(stateOf()).toBe("failed");
		await control.act({ type: "redeliver", eventId });
		await local.settled();
		expect(stateOf()).toBe("delivered");
		expect(eventIds).toEqual([eventId, eventId, eventId]);
		expect(local.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200, 500, 200]);
	});

	test("sends an edited body with a signature of its own; the event keeps its body", async () => {
		const bodies: string[] = [];
		const { local, control } = createWatchedGateway({
			deliverTo: async (request) => {
				bodies.push(await request.text());
				return new Response();
			},
		});
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		const { eventId = "", body = "" } = local.deliveries[0] ?? {};
		const edited = '{"text": "Ünedited?"}';
		await control.act({ type: "redeliver", eventId, body: edited });
		await local.settled();
		expect(bodies).toEqual([body, edited]);
		const [delivery] = control.deliveries({}).items;
		const [first, second] = delivery?.attempts ?? [];
		expect(delivery?.body).toBe(body);
		expect(first).not.toHaveProperty("isEdited");
		expect(second).toMatchObject({ isEdited: true, sentBody: edited, check: { isValid: true } });
		const { timestamp = 0, headers = {} } = second ?? {};
		const { webhookSecret: secret } = local;
		expect(headers).toEqual(signWebhook({ body: edited, secret, timestamp, eventId }));
		await control.act({ type: "redeliver", eventId });
		await local.settled();
		expect(bodies).toEqual([body, edited, body]);
	});

	test("of an event from elsewhere signs its bytes here, under its id, and again when it is repeated", async () => {
		const seen: [string | null, string, boolean][] = [];
		const { local, control } = createWatchedGateway({
			webhooks: { retryDelaysMs: [] },
			deliverTo: async (request) => {
				const body = await request.text();
				const { eventId } = verifyWebhook(
					{ body, headers: request.headers },
					{ secret: local.webhookSecret },
				);
				seen.push([eventId, body, request.url.endsWith("/webhooks")]);
				return new Response(null, { status: 500 });
			},
		});
		const body = '{ "type": "poll",\n"text": "Grüße" }';
		const action = { type: "deliver", eventId: "evt_elsewhere", kind: "inbound_message", body } as const;
		for (let times = 0; times < 2; times++) {
			await control.act(action);
			await local.settled();
		}
		expect(seen).toEqual(Array(2).fill(["evt_elsewhere", body, true]));
		const [delivery, ...others] = control.deliveries({}).items;
		expect([delivery, others]).toMatchObject([{ eventId: "evt_elsewhere", body, state: "failed" }, []]);
		expect(delivery?.attempts.map(({ isEdited }) => isEdited)).toEqual([undefined, undefined]);
	});

	test.each(["inbound_message", "inbound_reaction", "status"] as const)(
		"of a sample of kind %s is what its handler understands, and is delivered again under its id",
		async (kind) => {
			const handled: unknown[] = [];
			const handle = ({ kind, eventId, data }: { kind: string; eventId: string; data: object }) =>
				void handled.push([kind, eventId, "text" in data ? data.text : undefined]);
			const { local, control } = createWatchedGateway({ deliverTo: (request) => webhooks.fetch(request) });
			const webhooks = createWebhookHandler({
				secret: local.webhookSecret,
				store: memoryStore(),
				on: { inbound_message: handle, inbound_reaction: handle, status: handle, unknown: handle },
			});
			for (let times = 0; times < 2; times++) {
				await control.act({ type: "deliver", eventId: "evt_sample", kind });
				await local.settled();
			}
			expect(handled).toEqual([[kind, "evt_sample", kind === "inbound_reaction" ? undefined : "Hello"]]);
			expect(control.deliveries({}).items).toMatchObject([
				{ eventId: "evt_sample", kind, attempts: [{ status: 200 }, { status: 200 }] },
			]);
		},
	);

	test("of an event from elsewhere needs a webhook URL", async () => {
		const { control } = createWatchedGateway({ deliverTo: undefined });
		const action = { type: "deliver", eventId: "evt_elsewhere", kind: "status", body: "{}" };
		await expect(control.act(action)).rejects.toMatchObject(rejected("There is no webhook URL for it"));
		expect(control.deliveries({}).items).toEqual([]);
	});

	test("of a body that is too large is rejected", async () => {
		const { control } = createWatchedGateway();
		const action = { type: "redeliver", eventId: "evt_none", body: "x".repeat(1_000_001) };
		await expect(control.act(action)).rejects.toThrow("body must have at most 1000000 characters");
	});

	test("tries a delivery now that waits for a retry, with another body too, and keeps its retries", async () => {
		let status = 503;
		const { local, control } = createWatchedGateway({
			deliverTo: () => new Response(null, { status }),
			webhooks: { retryDelaysMs: [1_000, 1_000] },
		});
		await local.contact(ALICE).reply("Hi");
		const last = () => control.deliveries({}).items[0];
		await expect.poll(() => last()?.nextAttemptAt).toBeTypeOf("number");
		const eventId = last()?.eventId ?? "";
		await control.act({ type: "redeliver", eventId, body: "{}" });
		await expect.poll(() => last()?.attempts.map(({ sentBody }) => sentBody)).toEqual([undefined, "{}"]);
		await expect.poll(() => last()?.nextAttemptAt).toBeTypeOf("number");
		expect(last()?.state).toBe("pending");

		status = 200;
		await local.settled();
		expect([last()?.state, last()?.attempts.length]).toEqual(["delivered", 3]);
	});

	test("is rejected while an attempt is under way", async () => {
		const { local, control } = createWatchedGateway({ deliverTo: () => new Promise(() => {}) });
		await local.contact(ALICE).reply("Hi");
		const eventId = local.deliveries[0]?.eventId ?? "";
		const again = control.act({ type: "redeliver", eventId });
		await expect(again).rejects.toMatchObject(rejected("An attempt is under way"));
		expect(local.deliveries[0]?.attempts).toEqual([]);
	});

	test("goes to the current destination", async () => {
		const { local, control } = createWatchedGateway({ deliverTo: undefined });
		await control.act({ type: "destinations", inboundWebhookUrl: "http://127.0.0.1:9/a" });
		local.faults.webhooks.delay(1_000);
		await local.contact(ALICE).reply("Hi");
		await control.act({ type: "destinations", inboundWebhookUrl: "" });
		await local.settled();
		expect(local.deliveries[0]?.attempts.at(-1)).toMatchObject({ error: "the destination was unset" });
	});
});

test("the rules are turned off and on again", async () => {
	const { gateway, control, known } = createWatchedGateway();
	const send = () => gateway.messages.sendText({ to: ALICE, text: "Hello" });
	await send();
	await expect(send()).rejects.toMatchObject({ status: 409 });
	await control.act({ type: "rules", areOn: false });
	await send();
	expect(known()).toMatchObject({ areRulesOn: false });
	await control.act({ type: "rules", areOn: true });
	await expect(send()).rejects.toMatchObject({ status: 409 });
	expect(control.snapshot().areRulesOn).toBe(true);
});

test("a gateway without rules has none to turn on", async () => {
	const { control } = createWatchedGateway({ rules: "off" });
	expect(control.snapshot().areRulesOn).toBe(false);
	await expect(control.act({ type: "rules", areOn: true })).rejects.toMatchObject(
		rejected("started without rules"),
	);
	await control.act({ type: "rules", areOn: false });
});

test("destinations are registered and unset, by the rules of the API", async () => {
	const { gateway, control } = createWatchedGateway({ deliverTo: undefined });
	const inboundWebhookUrl = "https://a.example/in";
	await control.act({ type: "destinations", inboundWebhookUrl });
	expect(control.snapshot().destinations).toEqual({ inboundWebhookUrl, statusWebhookUrl: null });
	expect(await gateway.settings.getWebhooks()).toMatchObject({ inboundWebhookUrl });

	await control.act({ type: "destinations", inboundWebhookUrl: null });
	expect(control.snapshot().destinations.inboundWebhookUrl).toBeNull();
});

describe("faults", () => {
	test("apply as often as given, to the given operation", async () => {
		const { gateway, control } = createWatchedGateway();
		const fault = { kind: "respond", status: 500 };
		await control.act({ type: "request_fault", fault, operationId: "agents.list", times: "always" });
		for (let times = 0; times < 3; times++) {
			await expect(gateway.agents.list()).rejects.toMatchObject({ status: 500 });
		}
		await gateway.settings.getWebhooks();
		await control.act({ type: "clear_faults" });
		await gateway.agents.list();
		await control.act({ type: "request_fault", fault, times: 2 });
		await expect(gateway.agents.list()).rejects.toMatchObject({ status: 500 });
		await expect(gateway.settings.getWebhooks()).rejects.toMatchObject({ status: 500 });
		expect(control.snapshot().faults).toEqual([]);
		await gateway.agents.list();
	});
});

test("a reset returns the gateway's own clock to the machine's time", async () => {
	const { local, control } = createControlledGateway({ deliverTo: () => new Response() });
	await control.act({ type: "advance_clock", ms: 3_600_000 });
	await control.act({ type: "reset" });
	expect(Math.abs(control.snapshot().offsetMs)).toBeLessThan(60_000);
	await control.act({ type: "advance_clock", ms: 5_000 });
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	expect(control.deliveries({}).items).toMatchObject([{ state: "delivered" }]);
	await local[Symbol.asyncDispose]();
});

test("a reset sets back everything except the time of a clock that was given", async () => {
	const { local, control, clock } = createWatchedGateway();
	await local.contact(ALICE).reply("Hi");
	await clock.advance(1_000);
	const now = clock.now();
	await control.act({ type: "reset" });
	expect(control.snapshot()).toMatchObject({ now, messages: [], conversations: [] });
});
