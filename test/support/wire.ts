/** What a gateway puts on the wire (specification, sections 2.1 to 2.4). Nothing here imports the package. */

export const USER = "+15551234567";
export const AGENT = "+15550000001";
export const REQUEST_ID = "7d4f1c1e-7a51-4a52-9d2c-0b6f3d1e5a10";

export const MAPPING = {
	agentNumber: AGENT,
	userNumber: USER,
	createdAt: 1767225500000,
	respondedAt: null,
	lastRespondedAt: null,
	receivedAt: null,
	lastReceivedAt: null,
	outbound: 2,
	inbound: 0,
	consecutiveCount: 2,
	lastWarningSentAt: null,
	maxConsecutiveMessages: 5,
};

export const MESSAGE = {
	messageId: "0d9f8a3e-57b0-4c39-8a6a-54d1b0b5c0de",
	status: "queued",
	text: "Hello",
	from: AGENT,
	to: USER,
	groupId: null,
	attachments: [],
	status_callback: null,
	outbound: true,
	nativeMessageNumber: AGENT,
	participants: [AGENT, USER],
	chatGuid: null,
	messageGuid: null,
	timestamp_ms: 1767225600000,
	error: null,
};

export const DUPLICATE = {
	isDuplicate: true,
	lastMessageSignature: "a1",
	currentMessageSignature: "a1",
	timeRemaining: 12.5,
	message: "the same text was sent a moment ago",
};

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
	return new Response(JSON.stringify(body), {
		status,
		headers: { "Content-Type": "application/json", ...headers },
	});
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Response {
	return new Response(body, { status, headers });
}

/** A success envelope. */
export function ok(data: unknown, options: { status?: number; timestamp?: string } = {}): Response {
	const { status = 200, timestamp = "2026-01-01T00:00:00.000Z" } = options;
	return json(status, { ok: true, data, meta: { requestId: REQUEST_ID, timestamp } });
}

/** An error envelope. */
export function errorResponse(
	status: number,
	options: { code?: string; message?: string; details?: unknown; headers?: Record<string, string> } = {},
): Response {
	const { code = "SOME_CODE", message = "it failed", details, headers } = options;
	return json(status, { ok: false, error: { code, message, requestId: REQUEST_ID, details } }, headers);
}

/** A page of a proxy in place of the gateway's response. */
export function html(status: number): Response {
	return text(status, "<html><body>Bad gateway</body></html>", { "Content-Type": "text/html" });
}

/** A response whose body breaks off. */
export function brokenBody(status: number, begin = '{"ok":true,"da'): Response {
	let isBegun = false;
	return new Response(
		new ReadableStream<Uint8Array>({
			async pull(controller) {
				if (!isBegun) {
					isBegun = true;
					controller.enqueue(new TextEncoder().encode(begin));
					return;
				}
				// A network breaks off after its last bytes have arrived, also in a copy of the response.
				for (let tick = 0; tick < 8; tick++) await undefined;
				controller.error(new TypeError("terminated"));
			},
		}),
		{ status },
	);
}

/** A page, as its headers say, whose body does not arrive. */
export function brokenPage(): Response {
	const { body } = brokenBody(200, "");
	return new Response(body, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/** A connection error as Node's fetch rejects with it. */
export function networkError(code: string, message = describeFailure(code)): TypeError {
	return new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });
}

/** As Node words it: connections break while they are read, and everything else happens before they are made. */
function describeFailure(code: string): string {
	return /^E(CONNRESET|PIPE|TIMEDOUT)$/.test(code) ? `read ${code}` : `connect ${code} 192.0.2.1:443`;
}
