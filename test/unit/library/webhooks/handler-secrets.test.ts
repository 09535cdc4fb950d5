import { inspect } from "node:util";
import type { HeadersInput, TenantSecret } from "messaging-gateway/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { throwing } from "../../../support/throwing.ts";
import { toRequest } from "../../../support/to-request.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";
import { createReceiver, type Delivery, type ReceiverOptions } from "../../../support/webhook-receiver.ts";

const VARIABLE = "MESSAGING_GATEWAY_WEBHOOK_SECRET";

afterEach(() => {
	vi.unstubAllEnvs();
});

/** A secret as an option, and a delivery, which is signed with the right one by default; and what else there is. */
type Arrival = readonly [
	secret: unknown,
	delivery?: Delivery,
	more?: { readonly profile?: ReceiverOptions["profile"]; readonly environment?: string },
];

const KEY = Buffer.from("00ff7e3f112233445566778899aabbcc", "hex");
const HEX = KEY.toString("hex");
const HIDDEN = [webhookSecret, "whsec-2", HEX, HEX.slice(1), HEX.slice(0, 12), "17, 34"];

/** The response to a delivery, and what is reported of it; of one that is rejected nothing runs, and nothing is seen of a secret. */
async function outcomeOf([
	secret,
	delivery,
	{ profile, environment = webhookSecret } = {},
]: Arrival): Promise<string> {
	// Only a secret that is left out may be that of the environment.
	vi.stubEnv(VARIABLE, environment);
	const handle = vi.fn();
	const onResponse = vi.fn();
	const { handler, respond, calls, reports } = createReceiver({
		secret: secret as never,
		profile,
		on: { inbound_message: handle },
		hooks: { onResponse },
	});
	const response = await respond(delivery);
	if (response === "200") {
		expect([handle.mock.calls.length, reports]).toEqual([1, []]);
		await handler.ready();
		return response;
	}
	const [status = "", code] = response.split(" ");
	expect([handle.mock.calls, calls, reports.length]).toEqual([[], [], 1]);
	expect(onResponse.mock.lastCall?.[0]).toMatchObject({ eventId: undefined, code });
	const [{ error, hint } = { error: undefined, hint: "" }] = reports;
	expect(error).toMatchObject({ code, status: Number(status) });
	const { message } = error as Error;
	expect(hint.startsWith(`Not acknowledged: ${message}`)).toBe(true);
	const seen = inspect(reports, { depth: 20, showHidden: true });
	for (const part of HIDDEN) expect(seen).not.toContain(part);
	return `${response}: ${message}`;
}

const leaking = Object.assign(new Error(`vault: GET ${webhookSecret}`), { token: webhookSecret });
const rejecting = () => Promise.reject(leaking);
const platform = (secret: unknown) => ({ fromPlatform: () => secret });
const found = (tenant: unknown, secret: unknown = webhookSecret) => [() => ({ tenant, secret })] as const;
const hex = { profile: { events: { secret: "hex" } } } as const;
const byKey = { secret: KEY };
const byText = { secret: HEX };

const MISMATCH =
	"401 signature_mismatch: no signature matches the raw body: check the secret, and that nothing parsed or changed the body before";
const UNKNOWN =
	"401 signature_mismatch: your secret function returned no secret. If the tenant is yours, add its secret; otherwise ignore this";
const UNUSABLE = "500 configuration: The webhook secret";
const PASS_IT = `Pass \`secret\`, or set ${VARIABLE}`;
const NOT_FOUND = "500 configuration: fromPlatform found no secret: the secret is missing";
const FAILED =
	"500 configuration: the secret function failed, or took longer than 5000 ms; its error is left out, since it may hold a secret: log it where it is thrown";
const NO_TENANT =
	"500 configuration: the secret function must return { tenant, secret }, with a tenant of 1 to 256 characters; to read only the platform's bindings, use secret: { fromPlatform }";

const SECRETS: Outcomes<Arrival> = {
	"200": {
		"one of several": [["whsec-2", webhookSecret]],
		"another one of several": [["whsec-2", webhookSecret], { secret: "whsec-2" }],
		"that of the environment": [undefined],
		"a tenant's": found("a"),
		"a tenant's, with a name of 256 characters": found("x".repeat(256)),
		"the platform's": [platform(webhookSecret)],
		"the platform's, later": [platform(Promise.resolve(webhookSecret))],
		bytes: [KEY, byKey],
		"bytes, whatever the profile says": [KEY, byKey, hex],
		"several, as bytes and as text": [["whsec-2", KEY], byKey],
		"several, as bytes and in hex": [[Uint8Array.of(9), HEX], byKey, hex],
		"bytes of the platform": [platform(KEY), byKey],
		"bytes of a tenant": [...found("a", KEY), byKey],
		"hex of a tenant": [...found("a", HEX), byKey, hex],
		"hex in the environment": [undefined, byKey, { ...hex, environment: HEX }],
	},
	[MISMATCH]: {
		"none of several": [["whsec-2", webhookSecret], { secret: "whsec-3" }],
		"bytes, of a delivery signed with their hex": [KEY, byText],
		"hex, of a delivery signed with its text": [HEX, byText, hex],
		"hex of a tenant, of a delivery signed with its text": [...found("a", HEX), byText, hex],
		"hex in the environment, of a delivery signed with its text": [
			undefined,
			byText,
			{ ...hex, environment: HEX },
		],
	},
	[UNKNOWN]: {
		"a function that finds nothing": [() => undefined],
		"a function that finds null": [async () => null],
		"a function that finds an empty list": [async () => []],
		"a tenant without a secret": [() => ({ tenant: "a" })],
		"a tenant whose secret is null": found("a", null),
		"a tenant without one of several secrets": found("a", []),
	},
	[NO_TENANT]: {
		"a function that returns a secret alone": [() => webhookSecret],
		"a function that returns several secrets alone": [() => [webhookSecret]],
		"a function that returns nothing of it": [() => ({})],
		"no tenant": [() => ({ secret: webhookSecret })],
		"an empty tenant": found(""),
		"a tenant that is no string": found(5),
		"a tenant of 257 characters": found("x".repeat(257)),
		"half a character as tenant": found("\ud800"),
	},
	[FAILED]: {
		"a function that throws": [throwing(leaking)],
		"a function that rejects": [rejecting],
		"a function that never settles": [() => new Promise(() => undefined)],
		"a platform's that throws": [{ fromPlatform: throwing(leaking) }],
		"a platform's that rejects": [{ fromPlatform: rejecting }],
	},
	[NOT_FOUND]: {
		"a platform without the secret": [platform(undefined)],
		"a platform's null": [platform(null)],
	},
	[`${UNUSABLE} is empty. ${PASS_IT}`]: {
		"an empty one of the platform": [platform("")],
		"an empty one of a tenant": found("a", ""),
	},
	[`${UNUSABLE} has a line break in it: remove it`]: {
		"one with a newline of a tenant": found("a", `${webhookSecret}\n`),
	},
	[`${UNUSABLE} has quotes around it: remove them`]: { "hex in quotes": [`'${HEX}'`, byKey, hex] },
	[`${UNUSABLE} isn't hex, its encoding in the profile: its end is missing or changed`]: {
		"hex without a digit": [HEX.slice(1), byKey, hex],
	},
	[`${UNUSABLE} is empty, or all its bytes are 0: it was cleared`]: {
		"bytes that are 0": [new Uint8Array(4), byKey, hex],
	},
};

describe("a secret:", () => {
	testOutcomes(SECRETS, outcomeOf);

	test("is found by a function, by tenant, again for each delivery", async () => {
		const secrets = new Map([["a", "whsec-a"]]);
		const { respond } = createReceiver({
			secret: async ({ headers }) => {
				const tenant = (headers as Record<string, string>)["x-tenant"] ?? "";
				return { tenant, secret: secrets.get(tenant) ?? [] };
			},
		});
		const from = (tenant: string, eventId: string, secret: string) =>
			respond({ eventId, secret, headers: { "x-tenant": tenant } });
		expect(await from("a", "evt_1", "whsec-a")).toBe("200");
		expect(await from("a", "evt_2", "whsec-b")).toBe("401 signature_mismatch");
		expect(await from("b", "evt_3", "whsec-b")).toBe("401 signature_mismatch");
		secrets.set("b", "whsec-b");
		expect(await from("b", "evt_3", "whsec-b")).toBe("200");
	});

	test("a function is given the headers as they came, path and query, and what the platform gave", async () => {
		const secret = vi.fn(() => ({ tenant: "a", secret: webhookSecret }));
		const { handler, sign } = createReceiver({ secret });
		const request = toRequest(sign());
		expect((await handler.fetch(request, { env: 1 }, "more")).status).toBe(200);
		expect(secret).toHaveBeenCalledExactlyOnceWith({
			headers: request.headers,
			url: new URL(request.url).pathname,
			platform: [{ env: 1 }, "more"],
		});
	});

	test("may be cleared once it was given, in a list too", async () => {
		const secrets = [Buffer.from(KEY), [Buffer.from(KEY)]] as const;
		const receivers = secrets.map((secret) => createReceiver({ secret }));
		for (const bytes of secrets.flat()) bytes.fill(0);
		for (const { respond } of receivers) expect(await respond({ secret: KEY })).toBe("200");
	});

	test("isn't looked up if the body is rejected before", async () => {
		const secret = vi.fn(() => ({ tenant: "a", secret: webhookSecret }));
		const { respond } = createReceiver({ secret, maxBodyBytes: 10 });
		expect(await respond()).toBe("413 body_too_large");
		expect(secret).not.toHaveBeenCalled();
	});

	test("is read from the environment at the first delivery, so that a build without it doesn't fail", async () => {
		vi.stubEnv(VARIABLE, undefined);
		const { respond, reported } = createReceiver({ secret: undefined });
		expect(await respond()).toBe("500 configuration");
		expect(reported()).toEqual([`configuration: The webhook secret is missing. ${PASS_IT}`]);
		vi.stubEnv(VARIABLE, webhookSecret);
		expect(await respond()).toBe("200");
	});
});

const TIMES = { leaseMs: 60_000, retentionMs: 3_600_000 };

function headerOf(headers: HeadersInput, name: string): string {
	return String((headers as Record<string, string>)[name] ?? "");
}

/** A receiver whose tenants each have a secret made of their name. */
function createTenants(options: object = {}) {
	const handle = vi.fn();
	const receiver = createReceiver({
		secret: ({ headers }): TenantSecret => {
			const tenant = decodeURIComponent(headerOf(headers, "x-tenant"));
			return { tenant, secret: `whsec-${tenant}` };
		},
		on: { inbound_message: handle },
		...options,
	});
	const from = (tenant: string, eventId = "evt_1") => ({
		eventId,
		secret: `whsec-${tenant}`,
		headers: { "x-tenant": encodeURIComponent(tenant) },
	});
	const respond = (tenant: string, eventId?: string) => receiver.respond(from(tenant, eventId));
	return { ...receiver, handle, respond, from };
}

describe("tenants behind one secret function", () => {
	test("each have their own events: an id that another one has used is new", async () => {
		const { respond, handle } = createTenants();
		expect([await respond("mallory"), await respond("victim"), await respond("victim")]).toEqual([
			"200",
			"200",
			"200",
		]);
		expect(handle.mock.calls.map(([, { tenant }]) => tenant)).toEqual(["mallory", "victim"]);
	});

	test("can't forge a key of another one, with any names and ids", async () => {
		const keys: string[] = [];
		const { store } = createReceiver();
		const watched = {
			...store,
			claim: (...given: Parameters<typeof store.claim>) => {
				keys.push(given[0]);
				return store.claim(...given);
			},
		};
		const { respond } = createTenants({ store: watched });
		await createReceiver({ store: watched }).respond({ eventId: "a:evt_1" });
		await createReceiver({ store: watched }).respond({ eventId: "evt_1" });
		for (const [tenant, id] of [
			["a", "evt_1"],
			["a", "b:evt_1"],
			["a:b", "evt_1"],
			["a@b", "evt_1"],
			["a%3Ab", "evt_1"],
			["A", "evt_1"],
			["ä\u0000", "evt_1"],
		])
			expect(await respond(tenant ?? "", id)).toBe("200");
		expect(new Set(keys).size).toBe(9);
		expect(keys.slice(0, 3)).toEqual(["default:a:evt_1", "default:evt_1", "default@a:evt_1"]);
	});

	test("may sign equal bytes in the same second: what is bound is theirs alone", async () => {
		const { sign, handler, handle } = createTenants();
		for (const tenant of ["a", "b"]) {
			const { body, headers } = sign({
				payload: inboundMessage,
				secret: `whsec-${tenant}`,
				eventId: `evt_${tenant}`,
				headers: { "x-tenant": tenant },
			});
			expect(await handler.handle({ body, headers })).toMatchObject({ status: 200 });
		}
		expect(handle.mock.calls.map(([{ eventId }]) => eventId)).toEqual(["evt_a", "evt_b"]);
	});

	test("keep their events over a rotation of their secret: no part of it is in a key", async () => {
		let secret: string | string[] = "whsec-a";
		const handle = vi.fn();
		const { respond } = createReceiver({
			secret: () => ({ tenant: "a", secret }),
			on: { inbound_message: handle },
		});
		expect(await respond({ secret: "whsec-a" })).toBe("200");
		secret = ["whsec-new", "whsec-a"];
		expect(await respond({ secret: "whsec-a" })).toBe("200");
		expect(await respond({ secret: "whsec-new" })).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("are known to the handler and the queue, which need them beside the event's id", async () => {
		const enqueue = vi.fn();
		const { respond } = createTenants({ on: undefined, enqueue });
		expect(await respond("acme")).toBe("200");
		expect(enqueue).toHaveBeenCalledExactlyOnceWith(
			expect.objectContaining({ eventId: "evt_1" }),
			expect.objectContaining({ tenant: "acme" }),
		);
	});
});

describe("a secret of the platform", () => {
	test("is found in what fetch was given, and names no tenant", async () => {
		const fromPlatform = vi.fn(([env]: readonly unknown[]) => (env as { SECRET: string }).SECRET);
		const handle = vi.fn();
		const { handler, sign, store } = createReceiver({
			secret: { fromPlatform },
			on: { inbound_message: handle },
		});
		const response = await handler.fetch(toRequest(sign()), { SECRET: webhookSecret }, "context");
		expect(response.status).toBe(200);
		expect(fromPlatform).toHaveBeenCalledExactlyOnceWith([{ SECRET: webhookSecret }, "context"]);
		expect(handle.mock.lastCall?.[1]).toMatchObject({ tenant: undefined });
		expect(await store.claim("default:evt_1", TIMES)).toEqual({ status: "done" });
	});
});
