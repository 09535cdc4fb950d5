import { assertKnownKeys } from "../../library/check-options.ts";
import { ConfigurationError } from "../../library/errors.ts";

/** How often a fault occurs. */
export interface Times {
	/**
	 * How many requests or deliveries it affects. `Infinity` affects all until it is cleared.
	 * @default 1
	 */
	times?: number | undefined;
}

/**
 * Checks what a fault is given, since an argument or a field that it does not have would have no effect.
 * @param fields - those of its last argument.
 * @param others - the arguments after that.
 * @throws ConfigurationError naming the fault.
 */
export function assertFault(
	name: string,
	options: unknown,
	fields: readonly string[],
	others: readonly unknown[],
): asserts options is object {
	assertKnownKeys(name, options, fields);
	if (others.length === 0) return;
	const place = fields.length === 0 ? "" : `: its last one has ${fields.join(", ")}`;
	throw new ConfigurationError(`${name} was given one argument too many${place}`);
}

/** The fields that faults of requests share. */
export const FAULT_FILTER: readonly string[] = ["times", "operationId"];

/** An item and how many uses it has left. */
export interface CountdownEntry<Item> {
	readonly item: Item;
	left: number;
}

/** The remaining uses in words, such as `next 3 requests`. */
export function describeTimes(left: number, noun: string): string {
	if (left === Number.POSITIVE_INFINITY) return `all ${noun}s`;
	return left === 1 ? `next ${noun}` : `next ${left} ${noun}s`;
}

/** Items with a limited number of uses each, the oldest first. */
export class Countdown<Item> {
	readonly #entries: CountdownEntry<Item>[] = [];
	readonly #onChange: () => void;

	constructor(onChange: () => void) {
		this.#onChange = onChange;
	}

	/** The items with uses left, the oldest first. */
	get entries(): readonly Readonly<CountdownEntry<Item>>[] {
		return this.#entries;
	}

	/** @throws ConfigurationError when `times` is below 1 or not a number. */
	add(item: Item, { times = 1 }: Times): void {
		if (Number.isNaN(times) || times < 1) throw new ConfigurationError("times must be 1 or more");
		this.#entries.push({ item, left: times });
		this.#onChange();
	}

	/** Uses the first matching item once. */
	take<Fitting extends Item>(fits: (item: Item) => item is Fitting): Fitting | undefined {
		for (const [at, entry] of this.#entries.entries()) {
			if (!fits(entry.item)) continue;
			entry.left -= 1;
			if (entry.left < 1) this.#entries.splice(at, 1);
			this.#onChange();
			return entry.item;
		}
		return undefined;
	}

	clear(): void {
		if (this.#entries.length === 0) return;
		this.#entries.length = 0;
		this.#onChange();
	}
}
