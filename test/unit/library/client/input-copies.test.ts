import type { MessagingGateway } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { type ScriptedGateway, scriptGateway } from "../../../support/scripted-gateway.ts";
import { AGENT, html, MAPPING, MESSAGE, ok, USER } from "../../../support/wire.ts";

const PEERS = ["+15551110001", "+15551110002"];

/** Makes a call, changes its input right after, and returns what was sent. */
async function sentDespite(
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
	spoil: () => void,
	script: ScriptedGateway = scriptGateway([html(429), ok({ message: MESSAGE, mapping: MAPPING })]),
): Promise<unknown[]> {
	const made = call(script.gateway);
	spoil();
	await settle(script.clock, made);
	expect(script.requests).toHaveLength(2);
	return script.requests.map(({ body }) => JSON.parse(body ?? "null"));
}

describe("what a caller changes right after a call is not what is sent", () => {
	test("fields and lists of a text", async () => {
		const input = { participants: [...PEERS], text: "Hello" };
		const sent = await sentDespite(
			(gateway) => gateway.messages.sendText(input),
			() => {
				input.text = "changed";
				input.participants.push("+15559999999");
			},
		);
		expect(sent).toEqual([
			{ participants: PEERS, text: "Hello" },
			{ participants: PEERS, text: "Hello" },
		]);
	});

	test("fields, lists, bytes and URLs of attachments", async () => {
		const bytes = new Uint8Array([1, 2, 3]);
		const buffer = new Uint8Array([4, 5, 6]).buffer;
		const byUrl = { url: "https://files.example/a.png" };
		const byBytes = { data: bytes, name: "a.png" };
		const encoded = { data: "AQID", encoding: "base64" as const, name: "b.png", mimeType: "image/png" };
		const input = {
			participants: [...PEERS],
			text: "Hello",
			attachments: [byUrl, byBytes, { data: buffer, name: "c.bin" }, encoded],
		};
		const sent = await sentDespite(
			(gateway) => gateway.messages.sendAttachments(input),
			() => {
				bytes.fill(9);
				new Uint8Array(buffer).fill(9);
				byUrl.url = "https://evil.example";
				byBytes.name = "z.exe";
				encoded.data = "////";
				input.text = "changed";
				input.attachments.length = 0;
				input.participants.push("+15559999999");
			},
		);
		const expected = {
			participants: PEERS,
			text: "Hello",
			attachments: [
				{ url: "https://files.example/a.png" },
				{ data: "AQID", name: "a.png", mimeType: "image/png" },
				{ data: "BAUG", name: "c.bin", mimeType: "application/octet-stream" },
				{ data: "AQID", name: "b.png", mimeType: "image/png" },
			],
		};
		expect(sent).toEqual([expected, expected]);
	});

	test("a voice note", async () => {
		const bytes = new Uint8Array([1, 2, 3]);
		const participants = [...PEERS];
		const attachment = { data: bytes, name: "a.mp3" };
		const sent = await sentDespite(
			(gateway) => gateway.messages.sendVoiceNote({ participants, attachment }),
			() => {
				bytes.fill(9);
				participants.pop();
				attachment.name = "z.mp3";
			},
		);
		expect(sent[0]).toEqual({
			participants: PEERS,
			attachment: { data: "AQID", name: "a.mp3", mimeType: "audio/mpeg" },
		});
	});

	test("body, query and params of gateway.request", async () => {
		const body = { list: [1, 2], deep: { a: 1 } };
		const query = { a: ["x"] };
		const params = { id: "one" };
		const script = scriptGateway([html(429), ok(1)]);
		const sent = await sentDespite(
			(gateway) => gateway.request("POST", "/x/{id}", { body, query, params }),
			() => {
				body.list.push(3);
				body.deep.a = 2;
				query.a.push("y");
				params.id = "two";
			},
			script,
		);
		expect(sent).toEqual([
			{ list: [1, 2], deep: { a: 1 } },
			{ list: [1, 2], deep: { a: 1 } },
		]);
		expect(script.requests.map(({ url }) => url)).toEqual(Array(2).fill("https://gateway.example/x/one?a=x"));
	});

	test("a call's headers, also on its second attempt", async () => {
		const headers: Record<string, string> = { "X-Trace": "t-1" };
		const script = scriptGateway([html(429), ok({ message: MESSAGE })]);
		await sentDespite(
			(gateway) => gateway.messages.sendText({ to: USER, text: "Hi" }, { headers }),
			() => {
				headers["X-Trace"] = "changed";
				headers["authorization"] = "HMAC 00";
			},
			script,
		);
		for (const { headers: sent } of script.requests) {
			expect(sent.get("X-Trace")).toBe("t-1");
			expect(sent.get("Authorization")).toMatch(/^HMAC [0-9a-f]{64}$/);
		}
	});

	test("the client's own options", async () => {
		const headers: Record<string, string> = { "X-Trace": "t-1" };
		const options = { headers, appId: "app-1" };
		const script = scriptGateway([ok({ mapping: MAPPING })], options);
		headers["X-Trace"] = "changed";
		options.appId = "changed";
		await script.gateway.mappings.get(USER);
		expect(script.requests[0]?.headers.get("X-Trace")).toBe("t-1");
		expect(script.requests[0]?.headers.get("X-App-Id")).toBe("app-1");
	});

	test("the filter of a list, for the pages to come", async () => {
		const filter = { agentNumber: AGENT, limit: 1 };
		const headers: Record<string, string> = { "X-Trace": "t-1" };
		const { gateway, requests } = scriptGateway([
			ok({ mappings: [MAPPING], nextCursor: "c-1" }),
			ok({ mappings: [MAPPING], nextCursor: null }),
		]);
		const list = gateway.mappings.list(filter, { headers });
		filter.agentNumber = "+15559999999";
		headers["X-Trace"] = "changed";
		await list.toArray({ limit: 5 });
		expect(requests).toHaveLength(2);
		for (const { url, headers: sent } of requests) {
			expect(new URL(url).searchParams.get("agentNumber")).toBe(AGENT);
			expect(sent.get("X-Trace")).toBe("t-1");
		}
	});
});

test("no call changes what it was given", async () => {
	const input = Object.freeze({ participants: Object.freeze([...PEERS]), text: "Hello" });
	const { gateway, clock } = scriptGateway([ok({ message: MESSAGE })]);
	await settle(clock, gateway.messages.sendText(input));
	expect(input).toEqual({ participants: PEERS, text: "Hello" });
});
