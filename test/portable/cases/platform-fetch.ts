import type { ClientOptions } from "messaging-gateway";
import { assert, assertEqual, assertFails, errorOf } from "../check.ts";
import type { Given, Library, PortableCase } from "../portable-case.ts";
import { USER } from "../world.ts";

const TEXT = 'Grüße 🎉 \u2028 "\\ €';

/** The runtime's own `fetch`, over real connections. */
export const platformFetchCases: readonly PortableCase[] = [
	{
		name: "what arrives is what was signed",
		async run(library, given) {
			const gateway = connect(library, given, given.servers.gateway.baseUrl);
			assertEqual(await gateway.health.check(), { status: "ok" }, "health");
			const { message } = await gateway.messages.sendText({ to: USER, text: TEXT });
			assertEqual(message.text, TEXT, "the text");
			const { mapping } = await gateway.mappings.get(USER);
			assertEqual(mapping.userNumber, USER, "the mapping of an escaped number");
			await gateway.mappings.update(USER, { maxConsecutiveMessages: 3 });
			const page = await gateway.mappings.list({ limit: 1 });
			assertEqual(page.mappings.length, 1, "a list with a query");
			await gateway.mappings.delete(USER);
			await assertFails(
				() => gateway.mappings.get(USER),
				{ code: "not_found", status: 404 },
				"a mapping that is gone",
			);
		},
	},
	{
		name: "several megabytes arrive whole",
		async run(library, given) {
			const gateway = connect(library, given, given.servers.gateway.baseUrl);
			const data = new Uint8Array(3 * 1_048_576).map((_, at) => at % 251);
			const { message } = await gateway.messages.sendAttachments({
				to: USER,
				attachments: [{ data, name: "a.png" }],
			});
			assertEqual(message.attachments.length, 1, "attachments");
		},
	},
	{
		name: "a refused connection is reported",
		async run(library, given) {
			const gateway = connect(library, given, given.servers.closedUrl, { maxRetries: 0 });
			const outcome = given.reportsRefusedConnections ? "not_sent" : "unknown";
			await assertFails(
				() => gateway.messages.sendText({ to: USER, text: TEXT }),
				{ name: "ConnectionError", code: "connection_failed", outcome },
				"a port that is closed",
			);
		},
	},
	{
		name: "a send whose response breaks off within the envelope was accepted",
		async run(library, given) {
			const gateway = connect(library, given, `${given.servers.troubledUrl}/break`);
			await assertFails(
				() => gateway.messages.sendText({ to: USER, text: TEXT }),
				{ code: "connection_failed", outcome: "accepted", attempts: 1 },
				"a broken response",
			);
		},
	},
	{
		name: "a redirect is not followed",
		async run(library, given) {
			const gateway = connect(library, given, `${given.servers.troubledUrl}/redirect`);
			await assertFails(
				() => gateway.messages.sendText({ to: USER, text: TEXT }),
				{ code: "unexpected_status", outcome: "unknown", attempts: 1 },
				"a redirect",
			);
		},
	},
	{
		name: "a server that hangs is given up",
		async run(library, given) {
			const baseUrl = `${given.servers.troubledUrl}/hang`;
			const gateway = connect(library, given, baseUrl, { attemptTimeoutMs: 100 });
			const send = (signal?: AbortSignal) => gateway.messages.sendText({ to: USER, text: TEXT }, { signal });
			await assertFails(send, { code: "timeout", scope: "attempt", outcome: "unknown" }, "a time-out");
			const reason = new Error("the user left");
			const aborted = errorOf(() => send(AbortSignal.abort(reason)), "an aborted call");
			assert((await aborted) === reason, "another reason");
		},
	},
];

function connect({ client }: Library, { servers }: Given, baseUrl: string, options: ClientOptions = {}) {
	return new client.MessagingGateway({ ...servers.gateway, baseUrl, ...options });
}
