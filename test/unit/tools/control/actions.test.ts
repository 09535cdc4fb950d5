import { setImmediate as nextTurn } from "node:timers/promises";
import { createWebhookHandler, memoryStore, signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import type { Action } from "../../../../src/tools/control/action.ts";
import { checkInput } from "../../../../src/tools/control/check-input.ts";
import { ControlRejection } from "../../../../src/tools/control/control-rejection.ts";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { ACTIONS, action } from "../../../../src/tools/control/schemas/actions.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import { AGENT, ALICE, BOB } from "../../../support/signed-client.ts";

const rejected = (message: string | RegExp) => ({
	name: "ControlRejection",
	code: "rejected",
	message: expect.stringMatching(message),
});
const file = { name: "a", mimeType: "a/b", data: "AAAA" };
const reply = (fields: object) => ({ type: "reply", from: ALICE, text: "Hi", ...fields });
const react = (fields: object) => ({ type: "react", from: ALICE, reaction: "like", ...fields });
const requestFault = (fault: unknown, filter: object = {}) => ({ type: "request_fault", fault, ...filter });
const webhookFault = (fault: unknown, filter: object = {}) => ({ type: "webhook_fault", fault, ...filter });
const DELAY = { kind: "delay", ms: 5 };
const SKEW = { kind: "skew", ms: 5 };

describe("an action that cannot be done gets", () =>
	testOutcomes<unknown>(
		{
			"invalid_action: It must be one of reply, react, read, advance_clock, redeliver, deliver, agent_online, destinations, request_fault, webhook_fault, clear_faults, rules, settle, reset.":
				{ nothing: undefined, "a word": "reply" },
			"invalid_action: type must be one of reply, react, read, advance_clock, redeliver, deliver, agent_online, destinations, request_fault, webhook_fault, clear_faults, rules, settle, reset.":
				{ "another type": { type: "dance" }, "the name of a method": { type: "toString" } },
			"invalid_action: text is required.": { "a reply without a text": reply({ text: undefined }) },
			"invalid_action: from must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567.":
				{ "a reply of nobody": reply({ from: "55" }) },
			"invalid_action: to must be an E.164 number: + and 7 to 15 digits, such as +15551234567.": {
				"a reply to what is no agent": reply({ to: "x" }),
			},
			"invalid_action: It must have a text or attachments.": { "an empty reply": reply({ text: "" }) },
			'invalid_action: It has an unknown field: "too" (did you mean "to"?).': {
				"a misspelt field": reply({ too: AGENT }),
			},
			"invalid_action: attachments.0.mimeType must be a media type, such as image/png.": {
				"an attachment of no type": reply({ attachments: [{ ...file, mimeType: "b" }] }),
			},
			"invalid_action: attachments.0.data must be base64.": {
				"an attachment that is not base64": reply({ attachments: [{ ...file, data: "%" }] }),
			},
			"invalid_action: attachments.0.data must not be empty.": {
				"an attachment without bytes": reply({ attachments: [{ ...file, data: "" }] }),
			},
			"invalid_action: attachments.0.name must not be empty.": {
				"an attachment without a name": reply({ attachments: [{ ...file, name: "" }] }),
			},
			"invalid_action: reaction must not be empty.": { "an empty reaction": react({ reaction: "" }) },
			"invalid_action: action must be one of add, remove.": {
				"a reaction that is neither added nor removed": react({ action: "change" }),
			},
			"invalid_action: ms must be at least 0.": { "time that goes back": { type: "advance_clock", ms: -1 } },
			"invalid_action: ms must be at most 31622400000.": {
				"more time than a leap year": { type: "advance_clock", ms: 366 * 86_400_000 + 1 },
			},
			"invalid_action: ms must be a number.": { "no time": { type: "advance_clock", ms: null } },
			"invalid_action: inboundWebhookUrl must be an absolute http or https URL.": {
				"a URL of ftp": { type: "destinations", inboundWebhookUrl: "ftp://a.example" },
			},
			"invalid_action: statusWebhookUrl must be an absolute http or https URL.": {
				"a URL of ftp for statuses": { type: "destinations", statusWebhookUrl: "ftp://a.example" },
			},
			"invalid_action: fault.status must be at least 200.": {
				"a status of 199": requestFault({ kind: "respond", status: 199 }),
			},
			"invalid_action: fault.status must be at most 599.": {
				"a status of 600": requestFault({ kind: "respond", status: 600 }),
			},
			"invalid_action: fault.retryAfterSeconds must be at least 0.": {
				"a negative Retry-After": requestFault({ kind: "respond", status: 500, retryAfterSeconds: -1 }),
			},
			"invalid_action: fault.ms must be at least 0.": {
				"a negative delay": requestFault({ kind: "delay", ms: -1 }),
				"a negative delay of webhooks": webhookFault({ kind: "delay", ms: -1 }),
			},
			"invalid_action: fault.delayMs must be at least 0.": {
				"a negative delay of a copy": webhookFault({ kind: "repeat_attempt", response: "copy", delayMs: -1 }),
			},
			"invalid_action: fault.when must be one of after, before.": {
				"another time": requestFault({ kind: "drop", when: "now" }),
			},
			'invalid_action: fault.as must be one of html, truncated, empty (did you mean "html"?).': {
				"another form": requestFault({ kind: "corrupt", as: "htm" }),
			},
			"invalid_action: fault.response must be one of copy, first.": {
				"another response to a request": requestFault({ kind: "repeat", response: "both" }),
				"another response to an attempt": webhookFault({ kind: "repeat_attempt", response: "both" }),
			},
			"invalid_action: operationId must be the id of an operation, such as messages.sendText.": {
				"an unknown operation": requestFault(DELAY, { operationId: "messages.send" }),
			},
			"invalid_action: It must not have operationId or times with a skew, which affects all requests until it is cleared.":
				{
					"a skew of two requests": requestFault(SKEW, { times: 2 }),
					"a skew of one operation": requestFault(SKEW, { operationId: "agents.list" }),
				},
			"invalid_action: times must be at least 1.": { "no times": requestFault(DELAY, { times: 0 }) },
			'invalid_action: times must be an integer of at least 1, or "always".': {
				"half a time": requestFault(DELAY, { times: 1.5 }),
				"another word": webhookFault(DELAY, { times: "never" }),
			},
			"invalid_action: It must have a number as times for repeat.": {
				"endless repeats": webhookFault({ kind: "repeat" }, { times: "always" }),
			},
			"invalid_action: fault.kind must name its kind, one of respond, delay, drop, corrupt, repeat, skew.": {
				"the name of a method as a kind": requestFault({ kind: "toString" }),
			},
			"invalid_action: fault.kind must name its kind, one of tamper, wrong_signature, stale, out_of_order, repeat, repeat_attempt, delay.":
				{ "another kind of webhook fault": webhookFault({ kind: "lose" }) },
			"invalid_action: fault must name its kind, one of tamper, wrong_signature, stale, out_of_order, repeat, repeat_attempt, delay.":
				{ "a kind alone": webhookFault("tamper") },
			"invalid_action: fault has an unknown field (hidden, since a name may be a secret): use kind.": {
				"a field that the kind has not": webhookFault({ kind: "tamper", ms: 5 }),
			},
			"invalid_action: body must have at most 1000000 characters.": {
				"a redelivery of a larger body": { type: "redeliver", eventId: "evt_1", body: "x".repeat(1_000_001) },
			},
			"invalid_action: body must have at most 1048576 characters.": {
				"a delivery of a larger body": {
					type: "deliver",
					eventId: "evt_1",
					kind: "status",
					body: "x".repeat(1_048_577),
				},
			},
			"invalid_action: kind must be one of inbound_message, inbound_reaction, status.": {
				"a delivery of another kind": { type: "deliver", eventId: "evt_1", kind: "poll" },
			},
			"invalid_action: agentNumber must be an E.164 number: + and 7 to 15 digits, such as +15551234567.": {
				"an agent that is none": { type: "agent_online", agentNumber: "x", isOnline: true },
			},
			"invalid_action: areOn must be a boolean.": { "rules that are 1": { type: "rules", areOn: 1 } },
			"rejected: The contact is in no group with this id.": {
				"a reply in an unknown group": reply({ groupId: "nope" }),
			},
			"rejected: No message has reached this contact yet. Send one, and wait until it arrives: settled() in a test, `npx messaging-gateway wait` beside the command":
				{
					"a reaction to nothing": react({}),
				},
			"rejected: No message has this id; a messageGuid exists once it is sent.": {
				"a reaction to an unknown message": react({ messageGuid: "nope" }),
			},
			"rejected: No agent has this number: register it first, or name it in the option agents.": {
				"an unknown agent": { type: "agent_online", agentNumber: "+15550009999", isOnline: true },
				"a reply to an unknown agent": reply({ to: "+15550009999" }),
			},
			"rejected: statusWebhookUrl must be an https URL without credentials; http is for localhost, *.localhost and loopback addresses":
				{ "a URL without https": { type: "destinations", statusWebhookUrl: "http://a.example/status" } },
			"not_found: This contact has no chat to read yet. Send to it first, or let it write.": {
				"a chat that there is not": { type: "read", from: ALICE },
			},
			"not_found: No delivery has this event id; the oldest ones are dropped.": {
				"an unknown event": { type: "redeliver", eventId: "evt_1" },
			},
			"rejected: text must be at most 18996 UTF-16 code units": {
				"a text beyond the gateway's limit": reply({ text: "🎉".repeat(9_499) }),
			},
			"rejected: attachments must be at most 10 items": {
				"more attachments than its limit": reply({ attachments: Array(11).fill(file) }),
			},
			"rejected: An attachment may have up to 10000000 bytes (profile.limits): give a URL instead.": {
				"a larger attachment than its limit": reply({
					text: "",
					attachments: [{ ...file, data: "AAAA".repeat(10_000_002 / 3) }],
				}),
			},
		},
		async (given) => {
			const { control, changes } = createWatchedGateway();
			const error = await catchRejection(control.act(given));
			expect(changes).toEqual([]);
			expect(error).toBeInstanceOf(ControlRejection);
			const { code, message } = error as ControlRejection;
			return `${code}: ${message}`;
		},
	));

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
			await expect(check({ ...accepted, [name]: [[]] }), name).rejects.toMatchObject({
				code: "invalid_action",
			});
		}
	});
});

test("a contact writes in a group", async () => {
	const { gateway, control } = createWatchedGateway();
	const { message } = await gateway.messages.sendText({ participants: [ALICE, BOB], text: "Hi all" });
	const groupId = message.groupId ?? "";
	const inGroup = await control.act({ type: "reply", from: BOB, text: "Hi", groupId });
	expect(inGroup?.message.groupId).toBe(groupId);
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
