/**
 * What the specification does not show, as another team may have made it: operations on messages and agents that share
 * no code with the package. Each switch is one way in which they may differ from our assumptions.
 */
import { randomUUID } from "node:crypto";

export interface ForeignShapes {
	/** The names of a message's fields. */
	names?: "ours" | "snake" | "short";
	/** Where a message is in `data`. */
	nesting?: "message" | "flat" | "deep";
	ids?: "uuid" | "number";
	times?: "milliseconds" | "seconds" | "iso";
	/** How typing, read receipts and tapbacks respond. */
	actions?: "ours" | "empty_204" | "empty_200";
	/** Where texts are sent. */
	path?: string;
	/** The status of an accepted send. */
	accepted?: number;
	/** The name of a send's text. */
	textField?: string;
	/** How the same text again is reported. */
	duplicate?: "details" | "top" | "bare_429" | "in_success" | "silent";
	/** Whether successes have the envelope. */
	envelope?: "documented" | "bare";
	/** How a list of agents is written. */
	agents?: "ours" | "items" | "nested" | "empty";
	/** Changes a message further, after its names. */
	changeMessage?: (message: Record<string, unknown>) => unknown;
}

interface Result {
	status: number;
	data?: unknown;
	error?: { code: string; message: string; details?: unknown };
	/** The body without any envelope. */
	body?: unknown;
}

export interface ForeignAccount {
	/** What a path does; `undefined` if there is no such path. */
	find(method: string, path: string): ((body: Buffer) => Result) | undefined;
	sent(): number;
}

interface Sent {
	id: string | number;
	guid: string;
	text: string;
	to: string;
	at: number;
}

/** What no output may ever show. */
export const AGENT_NUMBER = "+15550007777";

const DUPLICATE = {
	isDuplicate: true,
	lastMessageSignature: "a1b2",
	currentMessageSignature: "a1b2",
	timeRemaining: 299,
	message: "the same was just sent",
};

export function createForeignAccount(shapes: ForeignShapes): ForeignAccount {
	const { path = "/message/text", textField = "text", accepted = 202, duplicate = "details" } = shapes;
	const messages: Sent[] = [];

	const succeed = (status: number, data: unknown): Result =>
		shapes.envelope === "bare" ? { status, body: data } : { status, data };

	function sendText(body: Buffer): Result {
		const fields: Record<string, unknown> = JSON.parse(body.toString());
		const text = fields[textField];
		if (typeof text !== "string") {
			const details = [{ field: textField, issue: "required", message: "give it" }];
			return { status: 400, error: { code: "INVALID", message: "a field is missing", details } };
		}
		if (messages.some((message) => message.text === text)) {
			if (duplicate === "details")
				return { status: 409, error: { code: "REPEATED", message: "no", details: DUPLICATE } };
			if (duplicate === "top")
				return {
					status: 409,
					body: { ok: false, error: { code: "REPEATED", message: "no" }, duplicate: DUPLICATE },
				};
			if (duplicate === "bare_429") return { status: 429, error: { code: "TOO_SOON", message: "no" } };
			if (duplicate === "in_success") return succeed(200, { duplicate: DUPLICATE });
		}
		const id = shapes.ids === "number" ? 4711 + messages.length : randomUUID();
		const sent = { id, guid: `guid-${randomUUID()}`, text, to: String(fields["to"]), at: Date.now() };
		messages.push(sent);
		return succeed(accepted, writeMessage(sent, shapes));
	}

	function act(data: unknown): () => Result {
		if (shapes.actions === "empty_204") return () => ({ status: 204 });
		if (shapes.actions === "empty_200") return () => ({ status: 200 });
		return () => succeed(200, data);
	}

	function listAgents(): Result {
		if (shapes.agents === "empty") return succeed(200, { agents: [], nextCursor: null });
		const agent = {
			name: null,
			status: "online",
			blockedReason: null,
			mappingCount: 1,
			lastSeenAt: null,
			createdAt: writeTime(Date.now(), shapes),
		};
		if (shapes.agents === "nested") {
			const { createdAt, ...rest } = agent;
			const items = [{ agentNumber: AGENT_NUMBER, ...rest, times: { createdAt } }];
			return succeed(200, { agents: items, nextCursor: null });
		}
		if (shapes.agents !== "items")
			return succeed(200, { agents: [{ agentNumber: AGENT_NUMBER, ...agent }], nextCursor: null });
		return succeed(200, { items: [{ phone: AGENT_NUMBER, ...agent }], next_cursor: null });
	}

	const now = Date.now();
	const routes: Record<string, (body: Buffer) => Result> = {
		[`POST ${path}`]: sendText,
		"GET /agent": listAgents,
		"POST /message/typing": act({ chatGuid: "chat-1", state: "start", expiresAt: null }),
		"POST /message/read": act({ chatGuid: "chat-1", markedAt: writeTime(now, shapes) }),
		"POST /message/tapback": act({ messageGuid: "guid-1", reaction: "like", action: "add" }),
	};
	return {
		find(method, requested) {
			const id = method === "GET" ? /^\/message\/([^/]+)$/.exec(requested)?.[1] : undefined;
			const message = messages.find((candidate) => String(candidate.id) === id);
			if (message !== undefined) return () => succeed(200, writeMessage(message, shapes));
			return routes[`${method} ${requested}`];
		},
		sent: () => messages.length,
	};
}

function writeTime(at: number, { times }: ForeignShapes): unknown {
	if (times === "seconds") return Math.floor(at / 1000);
	return times === "iso" ? new Date(at).toISOString() : at;
}

function writeMessage({ id, guid, text, to, at }: Sent, shapes: ForeignShapes): unknown {
	const time = writeTime(at, shapes);
	const ours = {
		messageId: id,
		status: "queued",
		text,
		from: AGENT_NUMBER,
		to,
		groupId: null,
		attachments: [],
		status_callback: null,
		outbound: true,
		nativeMessageNumber: AGENT_NUMBER,
		participants: [to],
		chatGuid: "chat-1",
		messageGuid: guid,
		timestamp_ms: time,
		error: null,
	};
	const named = shapes.names === "snake" ? toSnake(ours) : shapes.names === "short" ? toShort(ours) : ours;
	const message = shapes.changeMessage?.(named) ?? named;
	if (shapes.nesting === "flat") return message;
	return shapes.nesting === "deep" ? { result: { item: message } } : { message };
}

function toSnake(message: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(message).map(([name, value]) => [
			name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
			value,
		]),
	);
}

function toShort({ messageId, text, from, to, timestamp_ms, status, ...rest }: Record<string, unknown>) {
	return {
		id: messageId,
		payload: text,
		sender: from,
		recipient: to,
		sentAt: timestamp_ms,
		state: status,
		...rest,
	};
}
