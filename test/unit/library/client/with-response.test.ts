import type { GatewayCall } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { watchRejections } from "../../../support/unhandled-rejections.ts";
import { errorResponse, html, json, MAPPING, REQUEST_ID, text, USER } from "../../../support/wire.ts";

const meta = { requestId: REQUEST_ID, timestamp: "2026-01-01T00:00:02.500Z", region: "eu" };
const success = () => json(200, { ok: true, data: { mapping: MAPPING }, meta }, { "X-Region": "eu" });

const rejections = watchRejections();
const ignore = () => undefined;

describe("withResponse", () => {
	test("gives data, meta, the raw response, the attempts and the clock's offset of one call", async () => {
		const { gateway, clock, requests } = scriptGateway([html(502), success()]);
		const result = await settle(clock, gateway.mappings.get(USER).withResponse(), 1);
		expect(result).toMatchObject({ data: { mapping: MAPPING }, meta, attempts: 2 });
		expect(result.clockOffsetMs).toBe(gateway.clockOffsetMs);
		expect(Object.keys(result).sort()).toEqual(["attempts", "clockOffsetMs", "data", "meta", "response"]);
		expect(result.response.status).toBe(200);
		expect(result.response.headers.get("X-Region")).toBe("eu");
		expect(requests).toHaveLength(2);
	});

	test("gives each caller a response whose body can be read", async () => {
		const { gateway } = scriptGateway([success()]);
		const call = gateway.mappings.get(USER);
		const [first, second] = await Promise.all([call.withResponse(), call.withResponse()]);
		expect(await first.response.json()).toEqual({ ok: true, data: { mapping: MAPPING }, meta });
		expect(await second.response.text()).toContain('"ok":true');
		expect(first.response).not.toBe(second.response);
	});

	test("and the data share one request", async () => {
		const { gateway, requests } = scriptGateway([success()]);
		const call = gateway.mappings.get(USER);
		const [data, result] = await Promise.all([call, call.withResponse()]);
		expect(result.data).toBe(data);
		expect(await call).toBe(data);
		expect(requests).toHaveLength(1);
	});

	test("has no meta if the response has none", async () => {
		const { gateway } = scriptGateway([json(200, { ok: true, data: { mapping: MAPPING } }), text(200, "OK")]);
		expect((await gateway.mappings.get(USER).withResponse()).meta).toBeUndefined();
		const health = await gateway.health.check().withResponse();
		expect(health).toMatchObject({ data: "OK", meta: undefined });
		expect(await health.response.text()).toBe("OK");
	});

	test("works for a 204, which has no body to give", async () => {
		const { gateway } = scriptGateway([new Response(null, { status: 204 })]);
		const { data, response } = await gateway.health.check().withResponse();
		expect({ data, status: response.status, body: await response.text() }).toEqual({
			data: "",
			status: 204,
			body: "",
		});
	});
});

describe("a call", () => {
	test("starts when it is made, without being awaited", async () => {
		const { gateway, clock, requests } = scriptGateway([success()]);
		gateway.mappings.get(USER);
		await clock.advance(0);
		expect(requests).toHaveLength(1);
	});

	test("is a promise in every way", async () => {
		const { gateway } = scriptGateway([success()]);
		const call = gateway.mappings.get(USER);
		let isFinal = false;
		const seen = await call
			.then(({ mapping }) => mapping.outbound)
			.finally(() => {
				isFinal = true;
			});
		expect({ seen, isFinal }).toEqual({ seen: MAPPING.outbound, isFinal: true });
		expect(await Promise.all([call, 1])).toEqual([{ mapping: MAPPING }, 1]);
		expect(await Promise.resolve(call)).toEqual({ mapping: MAPPING });
		expect(String(call)).toBe("[object GatewayCall]");
		expect(await call.finally()).toEqual({ mapping: MAPPING });
	});

	test.each<[title: string, use: (call: GatewayCall<unknown>) => unknown]>([
		["only the data is awaited", (call) => catchRejection(call)],
		["only withResponse is awaited", (call) => catchRejection(call.withResponse())],
		["both are awaited", (call) => Promise.all([catchRejection(call), catchRejection(call.withResponse())])],
		[
			"both are awaited, one after the other",
			async (call) => [await catchRejection(call.withResponse()), await catchRejection(call)],
		],
		[
			"withResponse is awaited and the data caught",
			(call) => [call.catch(ignore), catchRejection(call.withResponse())][1],
		],
		["it is only caught", (call) => void call.catch(ignore)],
		["withResponse is only caught", (call) => void call.withResponse().catch(ignore)],
		["it is caught after finally", (call) => void call.finally(ignore).catch(ignore)],
		["it is settled with others", (call) => Promise.allSettled([call, call.withResponse()])],
	])("that fails leaves no rejection unhandled when %s", async (_title, use) => {
		const { gateway, clock } = scriptGateway([errorResponse(404)]);
		await use(gateway.mappings.get(USER));
		for (let turn = 0; turn < 3; turn++) await clock.advance(0);
		expect(rejections).toEqual([]);
	});

	test("that fails unhandled is reported to the process, once", async () => {
		const { gateway, clock } = scriptGateway([errorResponse(404)]);
		gateway.mappings.get(USER);
		for (let turn = 0; turn < 3; turn++) await clock.advance(0);
		expect(rejections).toHaveLength(1);
	});
});
