/** A request as passed to `fetch`. */
export interface SentRequest {
	readonly method: string;
	readonly url: string;
	readonly headers: Headers;
	readonly body: Uint8Array | undefined;
}

/** A response as received. */
export interface ReceivedResponse {
	readonly status: number;
	readonly statusText: string;
	readonly headers: readonly (readonly [name: string, value: string])[];
	readonly text: string;
}

/** A request and its response. */
export interface Exchange {
	readonly sent: SentRequest;
	/** `undefined` if there was none. */
	readonly response: ReceivedResponse | undefined;
	readonly durationMs: number;
}

/** A `fetch` for the client that records the actual requests and responses. */
export interface Recorder {
	readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
	/** Returns and removes the recorded exchanges, oldest first. */
	take(): readonly Exchange[];
}

/** @param send - the underlying `fetch`. */
export function createRecorder(send: Recorder["fetch"]): Recorder {
	let exchanges: Exchange[] = [];
	return {
		async fetch(url, init) {
			const sent = describeRequest(url, init);
			const start = performance.now();
			const record = (response: ReceivedResponse | undefined): void => {
				exchanges.push({ sent, response, durationMs: performance.now() - start });
			};
			try {
				const received = await send(url, init);
				const text = await received.text();
				record({
					status: received.status,
					statusText: received.statusText,
					headers: [...received.headers],
					text,
				});
				return rebuild(received, text);
			} catch (error) {
				record(undefined);
				throw error;
			}
		},
		take() {
			const taken = exchanges;
			exchanges = [];
			return taken;
		},
	};
}

function describeRequest(url: string, { method = "GET", headers, body }: RequestInit): SentRequest {
	return {
		method,
		url,
		headers: new Headers(headers),
		body: copyBytes(body),
	};
}

/** The client's bodies are bytes or absent. */
function copyBytes(body: unknown): Uint8Array | undefined {
	return body instanceof Uint8Array ? new Uint8Array(body) : undefined;
}

/** Creates the same response again, because a body can be read only once. */
function rebuild(response: Response, text: string): Response {
	const { status, statusText, headers } = response;
	// An opaque redirect has status 0, which the constructor rejects.
	if (status === 0) return response;
	const isEmpty = status === 204 || status === 205 || status === 304;
	return new Response(isEmpty ? null : text, { status, statusText, headers });
}
