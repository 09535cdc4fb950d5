/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
	/** Its name; `message` where the server gave none. */
	readonly event: string;
	readonly data: string;
}

/**
 * Reads server-sent events from pieces of text, wherever they were cut. `EventSource` reads them too, but
 * sends no headers, and the stream wants the token in one.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventStreamParser {
	#rest = "";
	#event = "";
	#data: string[] = [];

	/** Takes the next piece. @returns the events that it completed. */
	push(piece: string): ServerSentEvent[] {
		const text = this.#rest + piece;
		// A piece may end between the two characters of one line break.
		const end = text.endsWith("\r") ? text.length - 1 : text.length;
		const lines = text.slice(0, end).split(/\r\n|\r|\n/);
		this.#rest = (lines.pop() ?? "") + text.slice(end);
		return lines.flatMap((line) => this.#take(line));
	}

	#take(line: string): ServerSentEvent[] {
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
