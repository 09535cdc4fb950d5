import { createWebhookRequest } from "messaging-gateway/testing";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";

async function verify(request: Request, options: Parameters<typeof verifyWebhook>[1] = {}) {
	const delivery = { body: await request.arrayBuffer(), headers: request.headers };
	return verifyWebhook(delivery, { secret: "local-webhook-secret", ...options });
}

test.each(["inbound_message", "inbound_reaction", "status"] as const)(
	"%s: signed and as documented",
	async (kind) => {
		const request = createWebhookRequest(kind);
		expect(request.method).toBe("POST");
		expect((await verify(request)).kind).toBe(kind);
	},
);

test.each(["inbound_message", "inbound_reaction", "status"] as const)(
	"%s: a repeat has the ids of the first delivery, another event has others",
	async (kind) => {
		const idsOf = async (eventId?: string) => {
			const { messageId, messageGuid, originalMessageGuid } = await createWebhookRequest(
				kind,
				{},
				{ eventId },
			).json();
			return [messageId, messageGuid, originalMessageGuid].filter((id) => id !== undefined);
		};
		const first = await idsOf("evt_1");
		expect(await idsOf("evt_1")).toEqual(first);
		const ids = [first, await idsOf("evt_2"), await idsOf(), await idsOf()].flat();
		expect(new Set(ids).size).toBe(4 * (kind === "inbound_reaction" ? 3 : 2));
		for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
	},
);

test("known and unknown fields can be set", async () => {
	const event = await verify(createWebhookRequest("status", { status: "failed", error: "gone", extra: 1 }));
	expect(event.data).toMatchObject({ status: "failed", error: "gone", extra: 1, outbound: true });
	expect(event.data).not.toHaveProperty("type");
});

describe("what a gateway may write is delivered as it is", () => {
	const vendor = { messageNumberField: "acmeNumber" };

	test.each<
		[title: string, overrides: Parameters<typeof createWebhookRequest>[1], expected: object, absent: string[]]
	>([
		["null", { text: null }, { text: null }, []],
		["another type", { text: 5, attachments: "none" }, { text: 5, attachments: "none" }, []],
		["the name of another type", { type: "message.received" }, { type: "message.received" }, []],
		["a new field", { added: [1] }, { added: [1] }, []],
		[
			"an absent field",
			{ groupId: undefined, text: undefined },
			{ type: "inbound_message" },
			["groupId", "text"],
		],
		["null in a renamed field", { nativeMessageNumber: null }, { acmeNumber: null }, ["nativeMessageNumber"]],
		[
			"a renamed field that is absent",
			{ nativeMessageNumber: undefined },
			{},
			["acmeNumber", "nativeMessageNumber"],
		],
		["the vendor's name", { acmeNumber: 5 }, { acmeNumber: 5 }, ["nativeMessageNumber"]],
		["the vendor's name, absent", { acmeNumber: undefined }, {}, ["acmeNumber", "nativeMessageNumber"]],
	])("%s", async (_title, overrides, expected, absent) => {
		const request = createWebhookRequest("inbound_message", overrides, { profile: { vendor } });
		const payload: unknown = await request.clone().json();
		expect((await verify(request, { profile: { vendor } })).kind).toBeDefined();
		expect(payload).toMatchObject(expected);
		for (const name of absent) expect(payload).not.toHaveProperty(name);
	});
});

test("so can the signature's parts", async () => {
	const profile = { vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" } };
	const options = {
		secret: "s3cret",
		url: "https://app.example/hooks",
		eventId: "evt_1",
		timestamp: 1_000,
		profile,
	};
	const request = createWebhookRequest("inbound_message", { text: "STOP" }, options);
	expect(request.url).toBe("https://app.example/hooks");
	const clock = { now: () => 1_000_000, setTimer: () => () => {} };
	const event = await verify(request, { secret: "s3cret", profile, clock });
	expect(event).toMatchObject({ eventId: "evt_1", timestamp: 1_000, kind: "inbound_message" });
	expect(event.data).toMatchObject({ text: "STOP", outbound: false });
});

test.each(["inbound_message", "inbound_reaction", "status"] as const)(
	"%s: equal calls with an id and a time give equal requests, whenever they are made",
	async (kind) => {
		using now = vi.spyOn(Date, "now");
		const options = { eventId: "evt_1", timestamp: 1_767_225_600 };
		const [first, second] = [1_767_225_600_000, 1_767_225_612_345].map((ms) => {
			now.mockReturnValue(ms);
			return createWebhookRequest(kind, {}, options);
		});
		expect(await second?.text()).toBe(await first?.text());
		expect([...(second?.headers ?? [])]).toEqual([...(first?.headers ?? [])]);
	},
);
