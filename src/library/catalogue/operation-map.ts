import type { HttpMethod } from "./operation.ts";

/**
 * Fills the places of a request on the wire. `"content.text"` is a field in the body, `"to[]"` a list there,
 * `"?number"` a parameter of the query, `"{chatId}"` a parameter of the path, and `"header:Idempotency-Key"` a header.
 */
export interface RequestMap {
	readonly [place: string]: WireSource;
}

/**
 * Fills one place of a request, by the name of an input field, such as `"to"` or `"attachment.url"`. Or give
 *
 * - `value`: the same for each call;
 * - `from` with `map`, a field with other values on the wire (one that is not in the map stays as it is), or with
 *   `unit`, a time;
 * - `uuid`: one for each call, the same when it is retried, and for each attempt of a sender with the same key;
 * - `each`: a list of objects, or of one field of each; `as: "first"` is its only item, not in a list;
 * - `parts`: one list of several fields: an object for each that the input has, or for each item of a field that is a
 *   list.
 */
export type WireSource =
	| string
	| { readonly value: string | number | boolean | null }
	| {
			readonly from: string;
			readonly map?: Readonly<Record<string, string | number | boolean | null>> | undefined;
			readonly unit?: WireUnit | undefined;
	  }
	| { readonly uuid: true }
	| { readonly each: string; readonly item: RequestMap | string; readonly as?: "list" | "first" | undefined }
	| { readonly parts: readonly { readonly when: string; readonly item: RequestMap }[] };

/** The form of a time on the wire: seconds, milliseconds, or an ISO 8601 string. */
export type WireUnit = "s" | "ms" | "iso";

/**
 * Reads a field of our data from a place in the response, such as `"message.id"` or `"to[]"` (the first item). Or give
 *
 * - `at` with `unit`, a time, with `map`, from its values on the wire to ours, or with `text`, an id that is an integer
 *   there;
 * - `input`: the value that the call had in this field, for a response that lacks it;
 * - `value`: always the same.
 */
export type WireField =
	| string
	| {
			readonly at: string;
			readonly unit?: WireUnit | undefined;
			readonly map?: Readonly<Record<string, unknown>> | undefined;
			readonly text?: true | undefined;
	  }
	| { readonly input: string }
	| { readonly value: unknown };

/** Goes on to the next page of a list: with a cursor, at an offset, or by its number, from 1. */
export type NextPage =
	| { readonly cursor: string }
	| { readonly offset: true; readonly total?: string | undefined }
	| { readonly page: true; readonly more?: string | undefined; readonly pages?: string | undefined };

/** Turns a response into our data. */
export interface ResponseMap {
	/** The place that all others start from, such as `"result"`. @default the envelope's `data` itself */
	readonly root?: string | undefined;
	/** The place of a page's list. @default the root itself */
	readonly list?: string | undefined;
	/**
	 * The place of each field, by our names such as `"message.status"`. For a page, these are the fields of an item.
	 */
	readonly fields: Readonly<Record<string, WireField>>;
	/** The start of the next page. @default there is none */
	readonly next?: NextPage | undefined;
}

/** One of an operation's routes. */
export interface RouteMap {
	/**
	 * The input that uses this route: fields with their values, or `true` for any value. The first route that fits is
	 * used. If none does, the first one of all is, which needs no `when`.
	 */
	readonly when?: Readonly<Record<string, string | number | true>> | undefined;
	/** The HTTP method. @default the operation's */
	readonly method?: HttpMethod | undefined;
	/** The path. @default the operation's */
	readonly path?: string | undefined;
	/** The map of the request. @default that of `map` */
	readonly request?: RequestMap | undefined;
}

/** Describes an operation's input and data on the wire. */
export interface OperationMap {
	readonly request?: RequestMap | undefined;
	readonly response?: ResponseMap | undefined;
}

/** The route of a call. */
export interface ChosenRoute {
	readonly method: HttpMethod;
	/** The path with `{name}` for its parameters. */
	readonly pathTemplate: string;
	/** The map of the request, or `undefined` if the fields keep their names and places. */
	readonly request: RequestMap | undefined;
}

/** The values of a request, in their places on the wire. */
export interface MappedRequest {
	/** The path's parameters, unescaped. */
	readonly params: Readonly<Record<string, unknown>>;
	readonly query: Readonly<Record<string, unknown>>;
	/** The body, or `undefined` for a request without one. */
	readonly body: unknown;
	readonly headers: Readonly<Record<string, string>>;
}
