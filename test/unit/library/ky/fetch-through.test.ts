import ky from "ky";
import { MessagingGateway } from "messaging-gateway";
import { ConfigurationError, fetchThrough, type KyLike } from "messaging-gateway/ky";
import { describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { hangUp, type Respond, reply, startServer, type TestServer } from "../../../support/http-server.ts";
import { MAPPING, MESSAGE, USER } from "../../../support/wire.ts";
import { APP_SECRET, expectSigned } from "./signed-world.ts";

const SENT = reply(202, { ok: true, data: { message: MESSAGE } });
const FOUND = reply(200, { ok: true, data: { mapping: MAPPING } });

async function serveThrough(
	instance: KyLike,
	...steps: readonly Respond[]
): Promise<{ gateway: MessagingGateway; server: TestServer } & AsyncDisposable> {
	const server = await startServer(...steps);
	const gateway = new MessagingGateway({
		baseUrl: `${server.url}/v1`,
		appId: "app-1",
		appSecret: APP_SECRET,
		fetch: fetchThrough(instance),
	});
	return { gateway, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe("the client through an instance of ky", () => {
	test("uses its hooks, headers and fetch, and sends the signed bytes", async () => {
		const fetchOfInstance = vi.fn((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init));
		const seen: string[] = [];
		const instance = ky.create({
			fetch: fetchOfInstance,
			headers: { "X-Trace": "1" },
			hooks: { beforeRequest: [({ request }) => void seen.push(request.method)] },
		});
		await using world = await serveThrough(instance, SENT);
		await world.gateway.messages.sendText({ to: USER, text: "Hello" });
		const [request] = world.server.received;
		expect(request?.headers["x-trace"]).toBe("1");
		expect(seen).toEqual(["POST"]);
		expect(fetchOfInstance).toHaveBeenCalledOnce();
		expect(request?.body.toString()).toBe(`{"text":"Hello","to":"${USER}"}`);
		expectSigned(request);
	});

	test("what an instance has of its own takes no place of what was signed", async () => {
		const instance = ky.create({
			prefix: "https://elsewhere.example/api",
			json: { to: "somebody else" },
			searchParams: { page: "2" },
			redirect: "follow",
			headers: { Authorization: "Bearer x" },
		});
		await using world = await serveThrough(instance, SENT, FOUND);
		await world.gateway.messages.sendText({ to: USER, text: "Hello" });
		await world.gateway.mappings.get(USER);
		const [sent, read] = world.server.received;
		expect(sent?.target).toBe("/v1/message/text");
		expect(sent?.body.toString()).toBe(`{"text":"Hello","to":"${USER}"}`);
		expect(read?.body.toString()).toBe("");
		for (const request of [sent, read]) expectSigned(request);
	});

	test.each(["Authorization", "authorization", "AUTHORIZATION"])(
		"a default header %s does not reach the gateway, and joins no signed one",
		async (name) => {
			const headers = {
				[name]: "Bearer of-another-service",
				"x-nonce": "mine",
				"content-TYPE": "text/plain",
			};
			await using world = await serveThrough(ky.create({ headers }), SENT, FOUND);
			await world.gateway.messages.sendText({ to: USER, text: "Hello" });
			await world.gateway.mappings.get(USER);
			for (const request of world.server.received) {
				expectSigned(request);
				expect(JSON.stringify(request.headers)).not.toContain("Bearer");
			}
			expect(world.server.received[0]?.headers["content-type"]).toBe("application/json");
		},
	);

	test("retries are the client's alone, each signed with a nonce of its own", async () => {
		const instance = ky.create({ retry: { limit: 5, methods: ["get", "post"], delay: () => 1 } });
		await using world = await serveThrough(instance, reply(503, {}));
		const error = await catchRejection(world.gateway.mappings.get(USER, { maxRetries: 1 }));
		expect(error).toMatchObject({ code: "server_error", attempts: 2 });
		expect(new Set(world.server.received.map(({ headers }) => headers["x-nonce"])).size).toBe(2);
	});

	test("so are the time limits", async () => {
		const instance = ky.create({ timeout: 5, totalTimeout: 5 });
		const late: Respond = (response, request) => setTimeout(() => FOUND(response, request), 50);
		await using world = await serveThrough(instance, late);
		await world.gateway.mappings.get(USER);
	});

	test("errors of ky come as the client's, without their words", async () => {
		await using world = await serveThrough(ky, hangUp);
		const error = await catchRejection(world.gateway.messages.sendText({ to: USER, text: "Hello" }));
		expect(error).toMatchObject({ code: "connection_failed", outcome: "unknown" });
		expect(`${error} ${(error as Error).cause}`).not.toContain("127.0.0.1");
	});

	test("a redirect is not followed", async () => {
		await using world = await serveThrough(ky, reply(302, "", { Location: "/elsewhere" }));
		expect(await catchRejection(world.gateway.mappings.get(USER))).toMatchObject({ status: 302 });
		expect(world.server.received).toHaveLength(1);
	});
});

test("any function of a URL and an init will do", async () => {
	await using world = await serveThrough((url, { body, method, headers, signal, redirect }) => {
		expect(url).toBeInstanceOf(URL);
		return fetch(url, { method, headers, signal, redirect, body });
	}, SENT);
	await world.gateway.messages.sendText({ to: USER, text: "Hello" });
	expectSigned(world.server.received[0]);
});

test.each([undefined, null, {}, "ky"])("%j is no instance", (instance) => {
	expect(catchError(() => fetchThrough(instance as never))).toBeInstanceOf(ConfigurationError);
});
