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

	/** The items of all pages, in order; each page is fetched when it is needed. */
	async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
		const { operation, start, itemsOf, next } = this.#paging;
		const seen = new Set([start]);
		let call: GatewayCall<Page> = this;
		for (;;) {
			const page = await call;
			const items: unknown = isJsonObject(page) ? itemsOf(page) : undefined;
			// Where a misfit only warns, anything may stand in the place of the list.
			if (!Array.isArray(items)) throw await createListError(operation, call);
			yield* items;
			const cursor = nextCursorOf(page);
			// A cursor that comes back would make this loop endless.
			if (cursor === undefined || seen.has(cursor)) return;
			seen.add(cursor);
			call = next(cursor);
		}
	}

	/**
	 * The first items, over as many pages as that takes.
	 * @param options - `limit`: how many items at the most.
	 * @throws ConfigurationError when `limit` is not a whole number from 0 on.
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
): Promise<ResponseShapeError> {
	const { response, meta, attempts, clockOffsetMs } = await call.withResponse();
	const issue = { path: operation.pageItems ?? "", message: "must be an array" };
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
