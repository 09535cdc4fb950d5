import { MAX_HANDLE_LENGTH } from "../catalogue/handle.ts";
import type { ReadableEvent } from "./read-event.ts";

/** How many numbers are learned. */
const MAX_LEARNED = 1_000;

/** The bot's own numbers: whoever answers them answers itself. */
export class OwnNumbers {
	readonly #given: ReadonlySet<string> | undefined;
	/** The one that was seen last is the last. A restart forgets them. */
	readonly #learned = new Set<string>();

	constructor(given: readonly string[] | undefined) {
		this.#given = given && new Set(given.map((number) => number.toLowerCase()));
	}

	/** Whether an event is the bot's own doing; otherwise its receiver may be learned. */
	isOwn({ kind, data, filled }: ReadableEvent): boolean {
		// An e-mail address has no case.
		const [from = "", to] = [data.from, data.to].map((handle) => handle?.toLowerCase());
		if (from === to || (this.#given ?? this.#learned).has(from)) return true;
		// In an echo, a reaction of our own or a group the receiver may be the contact, who would then be ignored for ever.
		const isToUs =
			kind === "inbound_message" &&
			data.outbound === false &&
			data.groupId === null &&
			!filled.includes("outbound");
		if (isToUs && this.#given === undefined && to) this.#learn(to);
		return false;
	}

	#learn(number: string): void {
		// A longer one is nobody's.
		if (number.length > MAX_HANDLE_LENGTH) return;
		this.#learned.delete(number);
		const [oldest = ""] = this.#learned;
		if (this.#learned.size >= MAX_LEARNED) this.#learned.delete(oldest);
		this.#learned.add(number);
	}
}
