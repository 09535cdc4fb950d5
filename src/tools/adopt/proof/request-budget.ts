import { MAX_WAIT_MS, waitOf } from "../retry-after.ts";

/** How requests are made. */
export interface BudgetOptions {
	readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
	readonly maxRequests: number;
	readonly sleep: (ms: number) => Promise<void>;
}

/** Makes at most so many requests. A GET waits once if the gateway asks for it; a send is never made again. */
export class RequestBudget {
	/** Requests that were made. */
	made = 0;
	readonly #options: BudgetOptions;

	constructor(options: BudgetOptions) {
		this.#options = options;
	}

	get isSpent(): boolean {
		return this.made >= this.#options.maxRequests;
	}

	readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
		const response = await this.#make(url, init);
		const wait = init.method === "GET" ? waitOf(response) : undefined;
		if (wait === undefined || wait > MAX_WAIT_MS || this.isSpent) return response;
		await response.body?.cancel();
		await this.#options.sleep(wait);
		return this.#make(url, init);
	};

	#make(url: string, init: RequestInit): Promise<Response> {
		this.made++;
		return this.#options.fetch(url, { ...init, redirect: "manual" });
	}
}
