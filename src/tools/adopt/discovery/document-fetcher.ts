import { MAX_WAIT_MS, waitOf } from "../retry-after.ts";

/** A response to a GET of a page, script or document. */
export interface FetchedText {
	readonly url: string;
	readonly status: number;
	readonly text: string;
}

/** How documents are fetched. */
export interface FetcherOptions {
	readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
	readonly origin: string;
	/** The headers of a signed GET; `undefined` while the signing is not known. */
	readonly sign: ((url: string) => Record<string, string>) | undefined;
	readonly sleep: (ms: number) => Promise<void>;
	readonly userAgent: string;
	/** @default 90 */
	readonly maxRequests?: number;
}

const MAX_REQUESTS = 90;
const MAX_ADDRESSES = 60;
const MAX_MEGABYTES = 5;
const TIMEOUT_MS = 10_000;

/** How many requests may stay without a response. */
const MAX_FAILURES = 2;

/** Makes GETs to one host, one after the other, within limits. Redirects are not followed. */
export class DocumentFetcher {
	/** Requests that were made. */
	requests = 0;
	/** What was not fetched or used, and why. */
	readonly left = new Set<string>();
	/** Addresses that want a signature. */
	readonly locked = new Set<string>();
	#isStopped = false;
	#failures = 0;
	readonly #seen = new Set<string>();
	readonly #options: FetcherOptions;

	constructor(options: FetcherOptions) {
		this.#options = options;
	}

	/** A text that the gateway has at an address; `undefined` if it has none, or must not be asked. */
	async get(address: string): Promise<FetchedText | undefined> {
		if (!URL.canParse(address)) return undefined;
		const url = new URL(address);
		url.hash = "";
		if (url.origin !== this.#options.origin) {
			this.left.add(`${url.host} (another host)`);
			return undefined;
		}
		if (this.#isStopped || this.#seen.has(url.href) || this.#seen.size >= MAX_ADDRESSES) return undefined;
		this.#seen.add(url.href);
		const plain = await this.#request(url.href, {});
		if (plain?.status !== 401 && plain?.status !== 403) return this.#accept(plain);
		this.locked.add(url.href);
		const { sign } = this.#options;
		return sign === undefined ? undefined : this.#accept(await this.#request(url.href, sign(url.href)));
	}

	#accept(response: FetchedText | undefined): FetchedText | undefined {
		return response !== undefined && response.status >= 200 && response.status < 300 ? response : undefined;
	}

	async #request(
		url: string,
		headers: Record<string, string>,
		isAgain = false,
	): Promise<FetchedText | undefined> {
		if (this.requests >= (this.#options.maxRequests ?? MAX_REQUESTS)) return undefined;
		this.requests++;
		try {
			const response = await this.#options.fetch(url, {
				headers: {
					accept: "application/json, text/html, */*",
					"user-agent": this.#options.userAgent,
					...headers,
				},
				redirect: "manual",
				signal: AbortSignal.timeout(TIMEOUT_MS),
			});
			const wait = waitOf(response);
			if (wait !== undefined) {
				await response.body?.cancel();
				// Another request before its time would be one too many.
				if (isAgain || wait > MAX_WAIT_MS) return this.#stop(url);
				await this.#options.sleep(wait);
				return await this.#request(url, headers, true);
			}
			if (response.status >= 300 && response.status < 400) this.left.add(`${pathOf(url)} (it redirects)`);
			return { url, status: response.status, text: await readText(response) };
		} catch (error) {
			if (error instanceof RangeError) this.left.add(`${pathOf(url)} (more than ${MAX_MEGABYTES} MB)`);
			else {
				this.left.add(`${pathOf(url)} (no response)`);
				// Each of the others would take as long.
				this.#failures++;
				if (this.#failures >= MAX_FAILURES) this.#isStopped = true;
			}
			return undefined;
		}
	}

	#stop(url: string): undefined {
		this.#isStopped = true;
		this.left.add(`${pathOf(url)} and what is after it (the gateway asks for fewer requests)`);
		return undefined;
	}
}

async function readText(response: Response): Promise<string> {
	if (!response.ok) {
		await response.body?.cancel();
		return "";
	}
	const decoder = new TextDecoder();
	let text = "";
	let bytes = 0;
	for await (const chunk of response.body ?? []) {
		bytes += chunk.length;
		if (bytes > MAX_MEGABYTES * 2 ** 20) throw new RangeError("the document is too large");
		text += decoder.decode(chunk, { stream: true });
	}
	return text + decoder.decode();
}

function pathOf(url: string): string {
	return new URL(url).pathname;
}
