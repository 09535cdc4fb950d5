import { createLocalGateway, type Profile } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { ALICE, call } from "./signed-client.ts";

describe("operations", () => {
	test("a method and a path of its own", async () => {
		const profile: Profile = { operations: { "mappings.get": { method: "POST", path: "/v2/map" } } };
		const local = createLocalGateway({ profile });
		await call(local, "POST", "/mapping", { userNumber: ALICE });
		const { body } = await call(local, "POST", "/v2/map", { toNumber: ALICE });
		expect(body.data.mapping.userNumber).toBe(ALICE);
		// The old path still has other methods.
		expect((await call(local, "GET", `/mapping/${encodeURIComponent(ALICE)}`)).status).toBe(405);
	});

	test("a literal segment wins over a parameter, in any order of the catalogue", async () => {
		const local = createLocalGateway({
			profile: { operations: { "queue.getStatus": { path: "/agent/queue" } } },
		});
		expect((await call(local, "GET", "/agent/queue")).body.data).toHaveProperty("pending");
	});

	test("its own shape, decoded in reverse order of the client's encoding", async () => {
		const profile: Profile = {
			operations: {
				"messages.sendText": {
					request: {
						encode: ({ text, ...rest }) => ({ ...rest, message_body: text }),
						decode: ({ message_body, ...rest }) => ({ ...rest, text: message_body }),
					},
					response: { decode: (data) => data, encode: (data) => ({ wrapped: data }) },
				},
			},
		};
		await using local = createLocalGateway({ profile });
		const status_callback = "https://receiver.example/status";
		const { status, body } = await call(local, "POST", "/message/text", {
			to: ALICE,
			message_body: "Hello",
			status_callback,
		});
		expect(status).toBe(202);
		expect(body.data.wrapped.message).toMatchObject({ text: "Hello", status_callback });
	});

	test("a codec that fails is 500, and its message is hidden", async () => {
		const decode = () => {
			throw new RangeError("secret text");
		};
		const profile: Profile = { operations: { "agents.list": { request: { encode: (all) => all, decode } } } };
		const { status, body } = await call(createLocalGateway({ profile }), "GET", "/agent");
		expect([status, body.error.code]).toEqual([500, "INTERNAL_ERROR"]);
		expect(body.error.message).toContain("RangeError");
		expect(body.error.message).not.toContain("secret");
	});
});

describe("rejected at creation", () => {
	test.each<[string, Profile, string]>([
		[
			"an encoding without its inverse",
			{ operations: { "agents.get": { request: { encode: (all) => all } } } },
			'profile.operations["agents.get"].request.decode',
		],
		[
			"a decoding without its inverse",
			{ operations: { "agents.get": { response: { decode: (data) => data } } } },
			'profile.operations["agents.get"].response.encode',
		],
		[
			"two operations in one place",
			{ operations: { "agents.get": { path: "/agent" } } },
			"agents.list and agents.get are both GET /agent",
		],
		["an invalid path", { operations: { "agents.get": { path: "agent" } } }, "must start with"],
	])("%s", (_name, profile, message) => {
		expect(() => createLocalGateway({ profile })).toThrow(message);
	});
});
