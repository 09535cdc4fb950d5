/** A small web app of a restaurant: its page sends texts to guests, and shows what becomes of them and what guests write. */
import { appendFile, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { isMessagingGatewayError, type Message, MessagingGateway } from "messaging-gateway";
import { createWebhookHandler, isOutdatedStatus, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";

/** A line of the page: a text to a guest with its status, or a text of a guest. */
interface Line {
	id: string;
	guest: string;
	text: string;
	status?: string;
}

/** What the page needs of a message that was sent. */
type SentText = Pick<Message, "messageId" | "to" | "text" | "status">;

type Handle = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Creates the app. Its gateway and its secrets are those of the environment. */
export function createApp(): Server {
	const gateway = new MessagingGateway();
	const lines = new Map<string, Line>();
	const pages = new Set<ServerResponse>();

	function show(line: Line): void {
		lines.set(line.id, line);
		for (const page of pages) page.write(toEvent(line));
	}

	function showStatus({ messageId, to, text, status }: SentText): void {
		const known = lines.get(messageId)?.status;
		// Statuses may arrive late and out of order, even before the response to the send.
		if (known !== undefined && isOutdatedStatus(known, status)) return;
		show({ id: messageId, guest: to, text, status });
	}

	const webhooks = createWebhookHandler({
		store: memoryStore(),
		on: {
			inbound_message: ({ data }) => show({ id: data.messageId, guest: data.from, text: data.text }),
			status: ({ data }) => showStatus(data),
			// If this fails, the event is not acknowledged.
			unknown: ({ eventId }, { readBody }) =>
				appendFile("unknown-events.jsonl", `${JSON.stringify({ eventId, rawBody: readBody() })}\n`, {
					mode: 0o600,
				}),
		},
	});

	async function send(request: IncomingMessage, response: ServerResponse): Promise<void> {
		// A page of another site cannot send this type without asking first.
		if (request.headers["content-type"] !== "application/json") return void response.writeHead(415).end();
		const { to, text } = (await json(request)) as { to: string; text: string };
		try {
			const { message } = await gateway.messages.sendText({ to, text });
			showStatus(message);
			response.writeHead(204).end();
		} catch (error) {
			response.writeHead(502).end(explain(error));
		}
	}

	function stream(_request: IncomingMessage, response: ServerResponse): void {
		response.writeHead(200, { "Content-Type": "text/event-stream" });
		for (const line of lines.values()) response.write(toEvent(line));
		pages.add(response);
		response.once("close", () => pages.delete(response));
	}

	const routes: Record<string, Handle> = {
		"GET /": async (_request, response) => {
			const page = await readFile(new URL("index.html", import.meta.url));
			response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
		},
		"GET /lines": stream,
		"POST /texts": send,
		"POST /webhooks": toNode(webhooks),
	};

	return createServer(async (request, response) => {
		const handle = routes[`${request.method} ${request.url}`];
		try {
			if (handle === undefined) response.writeHead(404).end();
			else await handle(request, response);
		} catch (error) {
			console.error(error instanceof Error ? error.name : typeof error);
			response.writeHead(500).end("Something went wrong.");
		}
	});
}

function toEvent(line: Line): string {
	return `data: ${JSON.stringify(line)}\n\n`;
}

/** What went wrong, for people. A text of which nobody knows whether it was sent must not be sent again without a thought. */
function explain(error: unknown): string {
	if (!isMessagingGatewayError(error) || !("outcome" in error)) throw error;
	if (error.outcome === "unknown" || error.outcome === "accepted") {
		return "It may have been sent. Ask the guest before you send it again.";
	}
	return "Not sent. Please try again in a moment.";
}
