import { assert, assertEqual, assertFails } from "../check.ts";
import type { PortableCase } from "../portable-case.ts";
import { createWorld, USER } from "../world.ts";

const UNICODE = 'Grüße 🎉 \u2028 "\\ €';

/** The client against the local gateway, which is its `fetch`: there is no network. */
export const sendingCases: readonly PortableCase[] = [
	{
		name: "a text is sent, delivered and read",
		async run(library) {
			const { local, gateway, settle } = createWorld(library);
			const sending = gateway.messages.sendText({ to: USER, text: UNICODE });
			const { data, meta, attempts } = await settle(sending.withResponse());
			assertEqual([data.message.text, data.message.status, attempts], [UNICODE, "queued", 1], "the response");
			assert(/^[0-9a-f-]{36}$/.test(meta?.requestId ?? ""), "the response has no requestId");
			await local.settled();
			assertEqual(
				local.sent.map(({ text, status }) => [text, status]),
				[[UNICODE, "read"]],
				"what was sent",
			);
		},
	},
	{
		name: "a send is tried again after a 429",
		async run(library) {
			const { local, gateway, settle } = createWorld(library);
			local.faults.respond({ status: 429, retryAfterSeconds: 2 });
			const sending = gateway.messages.sendText({ to: USER, text: UNICODE });
			assertEqual((await settle(sending.withResponse())).attempts, 2, "attempts");
			assertSignedAnew(local.requests);
			assertEqual(local.sent.length, 1, "messages");
		},
	},
	{
		name: "a read is tried again after a 503",
		async run(library) {
			const { local, gateway, settle } = createWorld(library);
			local.faults.respond({ status: 503, times: 2 });
			assertEqual((await settle(gateway.mappings.list().withResponse())).attempts, 3, "attempts");
			assertSignedAnew(local.requests);
		},
	},
	{
		name: "a send that may be out is not repeated",
		async run(library) {
			const { local, gateway, settle } = createWorld(library);
			local.faults.dropConnection({ when: "after" });
			await assertFails(
				() => settle(gateway.messages.sendText({ to: USER, text: UNICODE })),
				{ name: "ConnectionError", code: "connection_failed", outcome: "unknown", attempts: 1 },
				"a connection that broke",
			);
			assertEqual([local.requests.length, local.sent.length], [1, 1], "requests and messages");
		},
	},
	{
		name: "a list is iterated over its pages",
		async run(library) {
			const { local, gateway, settle } = createWorld(library, { gateway: { rules: "off" } });
			for (const last of [1, 2, 3]) {
				await settle(gateway.messages.sendText({ to: `+1555123456${last}`, text: "Hello" }));
			}
			const numbers: string[] = [];
			for await (const { userNumber } of gateway.mappings.list({ limit: 2 })) numbers.push(userNumber);
			assertEqual(numbers.sort(), ["+15551234561", "+15551234562", "+15551234563"], "mappings");
			assertEqual(local.requests.slice(3).length, 2, "pages");
		},
	},
	{
		name: "attachments of every kind of bytes",
		async run(library) {
			const { local, gateway, settle } = createWorld(library);
			// Long enough to be encoded in parts.
			const bytes = Uint8Array.from({ length: 100_003 }, (_, at) => (at * 31) % 256);
			const stream = new ReadableStream<Uint8Array>({
				start(controller) {
					controller.enqueue(bytes.slice(0, 7));
					controller.enqueue(bytes.slice(7));
					controller.close();
				},
			});
			const sending = gateway.messages.sendAttachments({
				to: USER,
				attachments: [
					{ data: bytes, name: "a.png" },
					{ data: new Uint8Array([0, ...bytes, 0]).subarray(1, -1), name: "b.png" },
					{ data: bytes.buffer, name: "c.png" },
					{ data: new Blob([bytes], { type: "image/png" }), name: "d.bin" },
					new File([bytes], "e.png"),
					{ data: stream, name: "f.png" },
				],
			});
			await settle(sending);
			const { attachments } = JSON.parse(local.requests[0]?.body ?? "") as { attachments: WireAttachment[] };
			assertEqual(
				attachments.map(({ name, mimeType }) => `${name} ${mimeType}`),
				["a.png", "b.png", "c.png", "d.bin", "e.png", "f.png"].map((name) => `${name} image/png`),
				"names and types",
			);
			const binary = toBinary(bytes);
			for (const { name, data } of attachments) {
				assert(atob(data) === binary, `${name} did not arrive as it was sent`);
			}
		},
	},
];

interface WireAttachment {
	name: string;
	mimeType: string;
	data: string;
}

interface SeenRequest {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** Each attempt has its own nonce, and all have the same bytes. */
function assertSignedAnew(requests: readonly SeenRequest[]): void {
	const nonces = requests.map(({ headers }) => headers["x-nonce"]);
	assertEqual(new Set(nonces).size, requests.length, "different nonces");
	assertEqual(new Set(requests.map(({ body }) => body)).size, 1, "different bodies");
}

function toBinary(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
