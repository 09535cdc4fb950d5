import { isJsonObject } from "../catalogue/check.ts";
import type { Operation } from "../catalogue/operation.ts";
import { ConfigurationError, ResponseShapeError } from "../errors.ts";
import { type CallResult, GatewayCall } from "./gateway-call.ts";

/** How a {@link ListCall} reaches the pages after its first. */
export interface Paging<Page, Item> {
	operation: Operation<unknown, Page>;
	/** The cursor of the first page, where it has one. */
	start: string | undefined;
	itemsOf: (page: Page) => readonly Item[];
	/** Calls for the page at a cursor. */
	next: (cursor: string) => GatewayCall<Page>;
}

/** As many empty pages in a row are a list that does not end: each could have a fresh cursor for ever. */
const MAX_EMPTY_PAGES = 100;

/**
 * A list that is under way: await it for its first page, iterate it for the items of all pages.
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
	 * The items of all pages, in order; each page is fetched when it is needed. 100 empty pages in a row end it with a
	 * ResponseShapeError (`unexpected_response`).
	 */
	async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
		const { operation, start, itemsOf, next } = this.#paging;
		const seen = new Set([start]);
		let call: GatewayCall<Page> = this;
		let emptyPages = 0;
		for (;;) {
			const page = await call;
			const items: unknown = isJsonObject(page) ? itemsOf(page) : undefined;
			// Where a misfit only warns, anything may stand in the place of the list.
			if (!Array.isArray(items)) throw await createListError(operation, call, "must be an array");
			yield* items;
			emptyPages = items.length === 0 ? emptyPages + 1 : 0;
			const cursor = nextCursorOf(page);
			// A cursor that comes back would make this loop endless.
			if (cursor === undefined || seen.has(cursor)) return;
			if (emptyPages === MAX_EMPTY_PAGES) {
				throw await createListError(operation, call, `is empty on ${MAX_EMPTY_PAGES} pages in a row`);
			}
			seen.add(cursor);
			call = next(cursor);
		}
	}

	/**
	 * The first items, over as many pages as that takes.
	 * @param options - `limit`: how many items at the most.
	 * @throws ConfigurationError when `limit` is not a whole number from 0 on.
	 * @throws ResponseShapeError (`unexpected_response`) after 100 empty pages in a row.
	 */
	async toArray(options: { limit: number }): Promise<Item[]> {
		const { limit }: Partial<typeof options> = options ?? {};
		if (limit === undefined || !Number.isSafeInteger(limit) || limit < 0) {
			// The page that is under way has nobody else to report to.
			this.catch(() => undefined);
			throw new ConfigurationError("toArray needs a limit: a whole number from 0 on");
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
		`${operation.id} cannot be iterated: ${issue.path} ${issue.message}. readBody() has the raw answer`,
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

function nextCursorOf(page: unknown): string | undefined {
	const cursor = isJsonObject(page) ? page["nextCursor"] : undefined;
	return typeof cursor === "string" && cursor !== "" ? cursor : undefined;
}
