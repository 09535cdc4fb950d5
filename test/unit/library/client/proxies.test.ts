import { inspect } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { reactive, readonly, ref, shallowReactive } from "vue";
import { SECRET } from "../../../support/scripted-gateway.ts";

const TEXT = { to: "+15551234567", text: "Hello" };
const DIGEST_SECRET = "a secret for digests";

/** As libraries that watch a client wrap it: each function is bound to the object behind the proxy. */
function bindFunctions<Wrapped extends object>(wrapped: Wrapped): Wrapped {
	return new Proxy(wrapped, {
		get(target, name) {
			const value: unknown = Reflect.get(target, name);
			if (typeof value === "function") return value.bind(target);
			return typeof value === "object" && value !== null ? bindFunctions(value) : value;
		},
	});
}

/** As libraries that watch a client wrap it: nothing is done to it. */
function passOn<Wrapped extends object>(wrapped: Wrapped): Wrapped {
	return new Proxy(wrapped, {});
}

describe.each<[title: string, wrap: (gateway: MessagingGateway) => MessagingGateway]>([
	["ref of Vue", (gateway) => ref(gateway).value],
	["reactive of Vue", (gateway) => reactive(gateway)],
	["reactive of Vue, in an object", (gateway) => reactive({ deep: { gateway } }).deep.gateway],
	["shallowReactive of Vue", (gateway) => shallowReactive(gateway)],
	["readonly of Vue", (gateway) => readonly(gateway) as MessagingGateway],
	["an empty proxy", passOn],
	["a proxy that binds functions", bindFunctions],
])("a client in %s", (_title, wrap) => {
	function openWrapped() {
		const local = createLocalGateway({ rules: "off" });
		onTestFinished(() => local.close());
		const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
		return { local, gateway, wrapped: wrap(gateway) };
	}

	test("calls", async () => {
		const { local, wrapped } = openWrapped();
		const { message } = await wrapped.messages.sendText(TEXT);
		expect(local.sent).toMatchObject([{ messageId: message.messageId }]);
		const { data } = await wrapped.messages.get(message.messageId).withResponse();
		expect(data.message.messageId).toBe(message.messageId);
		expect(await wrapped.analytics.listMessages(TEXT.to).toArray({ limit: 5 })).toHaveLength(1);
		expect(await wrapped.queue.getStatus()).toBeDefined();
		expect(await wrapped.settings.getWebhooks()).toBeDefined();
		expect(await wrapped.health.check()).toBeDefined();
		expect(await wrapped.agents.list()).toBeDefined();
		expect(await wrapped.mappings.get(TEXT.to)).toBeDefined();
		expect(await wrapped.request("GET", "/mapping/{to}", { params: { to: TEXT.to } })).toBeDefined();
		expect(wrapped.clockOffsetMs).toEqual(expect.any(Number));
		const { appId, appSecret } = local.clientOptions;
		await wrapped.withCredentials({ appId, appSecret }).messages.sendText({ ...TEXT, text: "Again" });
		expect(local.sent).toHaveLength(2);
	});

	test("is one for a sender and the doctor", async () => {
		const { local, wrapped } = openWrapped();
		const sender = createSender({ gateway: wrapped, store: memorySendStore(), digestSecret: DIGEST_SECRET });
		expect(await sender.send("order-1", TEXT)).toMatchObject({ status: "accepted" });
		expect(local.sent).toHaveLength(1);
		expect(await diagnose(wrapped, { probeBody: true })).toMatchObject({ isHealthy: true });
	});
});

test("no inspection of a client shows its secret, however deep and hidden", () => {
	const baseUrl = "https://gateway.example";
	const gateway = new MessagingGateway({ baseUrl, appId: "an-app", appSecret: SECRET });
	const options = { depth: 20, showHidden: true, getters: true } as const;
	for (const shown of [gateway, reactive(gateway), gateway.messages, { ...gateway }]) {
		expect(inspect(shown, options)).not.toContain(SECRET);
		expect(JSON.stringify(shown)).not.toContain(SECRET);
	}
	expect(inspect(gateway)).not.toContain("Symbol");
	expect(Object.keys(gateway.messages)).toEqual([]);
});
