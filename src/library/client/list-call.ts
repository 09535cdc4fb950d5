import type { Operation } from "../catalogue/operation.ts";
import { ConfigurationError, ResponseShapeError } from "../errors.ts";
import { isJsonObject } from "../is-object.ts";
import { RAW_BODY_HINT } from "./error-message.ts";
import { type CallResult, GatewayCall } from "./gateway-call.ts";

/** How a {@link ListCall} reaches the pages after its first. */
export interface Paging<Page, Item> {
	operation: Operation<unknown, Page>;
	/** The cursor of the first page, if it has one. */
	start: string | undefined;
	itemsOf: (page: Page) => readonly Item[];
	/** Calls for the page at a cursor. */
	next: (cursor: string) => GatewayCall<Page>;
}

/** Ends a list whose pages stay empty while each has a new cursor. */
const MAX_EMPTY_PAGES = 100;

/**
 * A running list. Await it for its first page, or iterate it for the items of all pages.
 *
 * @example
 * ```ts
 * for await (const mapping of gateway.mappings.list()) console.log(mapping.userNumber);
 * const newest = await gateway.mappings.list().toArray({ limit: 200 });
 * ```
 */
export class ListCall<Page, Item> extends GatewayCall<Page> implements AsyncIterable<Item> {
	readonly #paging: Paging<Page, Item>;

	/** @internal */
	constructor(result: Promise<CallResult<Page>>, paging: Paging<Page, Item>) {
		super(result);
		this.#paging = paging;
	}

	/**
	 * Iterates the items of all pages, in order. It fetches each page when you need it.
	 * @throws ResponseShapeError (`unexpected_response`) after 100 empty pages in a row.
	 */
	async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
		const { operation, start, itemsOf, next } = this.#paging;
		const seen = new Set([start]);
		let call: GatewayCall<Page> = this;
		let emptyPages = 0;
		for (;;) {
			const page = await call;
			const items: unknown = isJsonObject(page) ? itemsOf(page) : undefined;
			// If validation only warns, the list may be anything.
			if (!Array.isArray(items)) throw await createListError(operation, call, "must be an array");
			yield* items;
			emptyPages = items.length === 0 ? emptyPages + 1 : 0;
			const cursor = isJsonObject(page) ? page["nextCursor"] : undefined;
			// A repeated cursor would make this loop endless.
			if (typeof cursor !== "string" || cursor === "" || seen.has(cursor)) return;
			if (emptyPages === MAX_EMPTY_PAGES) {
				throw await createListError(operation, call, `is empty on ${MAX_EMPTY_PAGES} pages in a row`);
			}
			seen.add(cursor);
			call = next(cursor);
		}
	}

	/**
	 * Collects the first items, from as many pages as needed.
	 * @param options - `limit`: the maximum number of items.
	 * @throws ConfigurationError if `limit` is not a non-negative integer.
	 * @throws ResponseShapeError (`unexpected_response`) after 100 empty pages in a row.
	 */
	async toArray(options: { limit: number }): Promise<Item[]> {
		const { limit }: Partial<typeof options> = options ?? {};
		if (limit === undefined || !Number.isSafeInteger(limit) || limit < 0) {
			// The first page's rejection would otherwise be unhandled.
			this.catch(() => undefined);
			throw new ConfigurationError("toArray: limit must be a non-negative integer");
		}
		await this;
		const items: Item[] = [];
		if (limit === 0) return items;
		for await (const item of this) {
			if (items.push(item) === limit) break;
		}
		return items;
	}
}

async function createListError<Page>(
	operation: Operation<unknown, Page>,
	call: GatewayCall<Page>,
	message: string,
): Promise<ResponseShapeError> {
	const { response, meta, attempts, clockOffsetMs } = await call.withResponse();
	const issue = { path: operation.pageItems ?? "", message };
	return new ResponseShapeError(
		`${operation.id} can't be iterated: ${issue.path} ${issue.message}${RAW_BODY_HINT}`,
		{
			operationId: operation.id,
			outcome: "accepted",
			attempts,
			clockOffsetMs,
			status: response.status,
			body: await response.text(),
			requestId: meta?.requestId,
		},
		[issue],
	);
}
