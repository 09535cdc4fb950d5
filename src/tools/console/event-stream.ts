export interface ServerSentEvent {
	/** Its name; `message` by default. */
	readonly event: string;
	readonly data: string;
}

/**
 * Parses server-sent events from chunks, which may end anywhere. `EventSource` cannot send the token as a header.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventStreamParser {
	#rest = "";
	#event = "";
	#data: string[] = [];

	/** Parses the next chunk. @returns the events that it completes. */
	push(chunk: string): ServerSentEvent[] {
		const buffered = this.#rest + chunk;
		// A chunk may end between CR and LF.
		const end = buffered.endsWith("\r") ? buffered.length - 1 : buffered.length;
		const lines = buffered.slice(0, end).split(/\r\n|\r|\n/);
		this.#rest = (lines.pop() ?? "") + buffered.slice(end);
		return lines.flatMap((line) => this.#readLine(line));
	}

	#readLine(line: string): ServerSentEvent[] {
		if (line === "") return this.#complete();
		const colon = line.indexOf(":");
		const field = colon === -1 ? line : line.slice(0, colon);
		const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
		if (field === "event") this.#event = value;
		if (field === "data") this.#data.push(value);
		return [];
	}

	#complete(): ServerSentEvent[] {
		const event = { event: this.#event || "message", data: this.#data.join("\n") };
		const hasData = this.#data.length > 0;
		this.#event = "";
		this.#data = [];
		return hasData ? [event] : [];
	}
}
