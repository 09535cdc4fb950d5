/** A request as it was handed to the browser. */
export interface SentRequest {
	readonly method: string;
	readonly url: string;
	readonly headers: Headers;
	readonly body: Uint8Array | undefined;
}

/** An answer as it came. */
export interface ReceivedResponse {
	readonly status: number;
	readonly statusText: string;
	readonly headers: readonly (readonly [name: string, value: string])[];
	readonly text: string;
}

/** One request and what became of it. */
export interface Exchange {
	readonly sent: SentRequest;
	/** `undefined` where no answer came. */
	readonly answer: ReceivedResponse | undefined;
	readonly durationMs: number;
}

/** A `fetch` for the client that keeps what really leaves and what really comes. */
export interface Recorder {
	readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
	/** The exchanges since the last call of this, the first one first. */
	take(): readonly Exchange[];
}

/** @param send - what sends; the browser's own `fetch` on the page. */
export function createRecorder(send: Recorder["fetch"]): Recorder {
	let exchanges: Exchange[] = [];
	return {
		async fetch(url, init) {
			const sent = describeRequest(url, init);
			const start = performance.now();
			const record = (answer: ReceivedResponse | undefined): void => {
				exchanges.push({ sent, answer, durationMs: performance.now() - start });
			};
			try {
				const response = await send(url, init);
				const text = await response.text();
				record({
					status: response.status,
					statusText: response.statusText,
					headers: [...response.headers],
					text,
				});
				return rebuild(response, text);
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

/** The client sends bytes, or nothing. */
function copyBytes(body: unknown): Uint8Array | undefined {
	return body instanceof Uint8Array ? new Uint8Array(body) : undefined;
}

/** The same answer for the client, which reads it once more. */
function rebuild(response: Response, text: string): Response {
	const { status, statusText, headers } = response;
	// What a browser hides of a redirect has status 0, which no script can build.
	if (status === 0) return response;
	const isEmpty = status === 204 || status === 205 || status === 304;
	return new Response(isEmpty ? null : text, { status, statusText, headers });
}
