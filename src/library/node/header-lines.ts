import type { FetchResponse } from "../client/custom-fetch.ts";

/** The headers of a response, which are only put together when somebody asks for one. */
export class HeaderLines implements Pick<FetchResponse["headers"], "get" | "has" | "forEach"> {
	readonly #lines: readonly string[];

	/** @param lines - names and values in turn, as they arrived. */
	constructor(lines: readonly string[]) {
		this.#lines = lines;
	}

	/** The value of a header, those of several lines joined, as `fetch` joins them; `null` if there is none. */
	get(name: string): string | null {
		const wanted = name.toLowerCase();
		const values = this.#lines.filter((_, at) => at % 2 === 1 && this.#nameAt(at - 1) === wanted);
		return values.length === 0 ? null : values.join(", ");
	}

	has(name: string): boolean {
		return this.get(name) !== null;
	}

	/** Calls a function with each header in lower case; with each cookie apart, since their values contain commas. */
	forEach(use: (value: string, name: string) => void): void {
		const seen = new Set<string>();
		for (let at = 0; at < this.#lines.length; at += 2) {
			const name = this.#nameAt(at);
			if (name === "set-cookie") use(this.#lines[at + 1] ?? "", name);
			else if (!seen.has(name)) use(this.get(name) ?? "", name);
			seen.add(name);
		}
	}

	#nameAt(at: number): string {
		return (this.#lines[at] ?? "").toLowerCase();
	}
}
