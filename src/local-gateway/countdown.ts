import { ConfigurationError } from "../errors.ts";

/** How often a fault strikes. */
export interface Times {
	/**
	 * How many requests or deliveries in a row; `Infinity` for all until it is cleared.
	 * @default 1
	 */
	times?: number | undefined;
}

interface Entry<Item> {
	readonly item: Item;
	left: number;
}

/** Items that are each used a number of times, the oldest first. */
export class Countdown<Item> {
	readonly #entries: Entry<Item>[] = [];

	/** @throws ConfigurationError when `times` is not a number from 1 on. */
	add(item: Item, { times = 1 }: Times): void {
		if (Number.isNaN(times) || times < 1) throw new ConfigurationError("times must be 1 or more");
		this.#entries.push({ item, left: times });
	}

	/** Uses the first item that fits once. */
	take(fits: (item: Item) => boolean = () => true): Item | undefined {
		const at = this.#entries.findIndex(({ item }) => fits(item));
		const entry = this.#entries[at];
		if (entry === undefined) return undefined;
		entry.left -= 1;
		if (entry.left < 1) this.#entries.splice(at, 1);
		return entry.item;
	}

	clear(): void {
		this.#entries.length = 0;
	}
}
