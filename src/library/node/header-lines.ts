import type { FetchResponse } from "../client/custom-fetch.ts";

/** The headers of a response, which are only put together when somebody asks for one. */
export class HeaderLines implements Pick<FetchResponse["headers"], "get" | "has" | "forEach"> {
	readonly #lines: readonly string[];
	#values: ReadonlyMap<string, string> | undefined;

	/** @param lines - names and values in turn, as they arrived. */
	constructor(lines: readonly string[]) {
		this.#lines = lines;
	}

	/** The value of a header, those of several lines joined, as `fetch` joins them; `null` if there is none. */
	get(name: string): string | null {
		this.#values ??= joinValues(this.#lines);
		return this.#values.get(name.toLowerCase()) ?? null;
	}

	has(name: string): boolean {
		return this.get(name) !== null;
	}

	/** Calls a function with each header in lower case; with each cookie apart, since their values contain commas. */
	forEach(use: (value: string, name: string) => void): void {
		const seen = new Set<string>();
		for (const [name, value] of eachLine(this.#lines)) {
			if (name === "set-cookie") use(value, name);
			else if (!seen.has(name)) use(this.get(name) ?? "", name);
			seen.add(name);
		}
	}
}

function joinValues(lines: readonly string[]): ReadonlyMap<string, string> {
	const values = new Map<string, string>();
	for (const [name, value] of eachLine(lines)) {
		const before = values.get(name);
		values.set(name, before === undefined ? value : `${before}, ${value}`);
	}
	return values;
}

/** The lines, each with its name in lower case. */
function* eachLine(lines: readonly string[]): Iterable<readonly [name: string, value: string]> {
	for (let at = 0; at < lines.length; at += 2) yield [(lines[at] ?? "").toLowerCase(), lines[at + 1] ?? ""];
}
