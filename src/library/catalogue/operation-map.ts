import type { HttpMethod } from "./operation.ts";

/**
 * Where a request's values come from, by their places on the wire: `"content.text"` is a field in the body, `"to[]"` a list
 * there, `"?number"` a parameter of the query, `"{chatId}"` one of the path, `"header:Idempotency-Key"` a header.
 */
export interface RequestMap {
	readonly [place: string]: WireSource;
}

/**
 * What a place of a request holds: the name of an input field, such as `"to"` or `"attachment.url"`, or
 * - `value`: the same for each call;
 * - `from` with `map`, a field with other values on the wire (one that is not in the map stays as it is), or with `unit`, a time;
 * - `uuid`: one for each call, the same when it is retried, and for each attempt of a sender with the same key;
 * - `each`: a list of objects, or of one field of each; `as: "first"` is its only item, not in a list;
 * - `parts`: one list of several fields: an object for each that the input has, or for each item of a field that is a list.
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

/** How a time is on the wire: in seconds, in milliseconds, or as an ISO 8601 string. */
export type WireUnit = "s" | "ms" | "iso";

/**
 * What a field of our data is: a place in the response, such as `"message.id"` or `"to[]"`, the first item of a list, or
 * - `at` with `unit`, a time, with `map`, from its values on the wire to ours, or with `text`, an id that is an integer there;
 * - `input`: what the call said in this field, for a response that lacks it;
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

/** How a list goes on: with a cursor, at an offset, or on a page by its number, from 1. */
export type NextPage =
	| { readonly cursor: string }
	| { readonly offset: true; readonly total?: string | undefined }
	| { readonly page: true; readonly more?: string | undefined; readonly pages?: string | undefined };

/** How a response becomes our data. */
export interface ResponseMap {
	/** Where everything else is, such as `"result"`. @default the envelope's `data` itself */
	readonly root?: string | undefined;
	/** For a page: where its list is. @default the root itself */
	readonly list?: string | undefined;
	/** By our names, such as `"message.status"`; for a page, those of an item. */
	readonly fields: Readonly<Record<string, WireField>>;
	/** For a page: where the next one begins. @default there is none */
	readonly next?: NextPage | undefined;
}

/** One of an operation's routes. */
export interface RouteMap {
	/**
	 * The input for which it is used: fields with their values, or `true` for one that is given. The first route that fits is
	 * used, and the first one of all, which needs none, if no other does.
	 */
	readonly when?: Readonly<Record<string, string | number | true>> | undefined;
	/** @default the operation's */
	readonly method?: HttpMethod | undefined;
	/** @default the operation's */
	readonly path?: string | undefined;
	/** @default that of `map` */
	readonly request?: RequestMap | undefined;
}

/** How an operation's input and data are on the wire. */
export interface OperationMap {
	readonly request?: RequestMap | undefined;
	readonly response?: ResponseMap | undefined;
}

/** The route of a call. */
export interface ChosenRoute {
	readonly method: HttpMethod;
	/** The path with `{name}` for its parameters. */
	readonly pathTemplate: string;
	/** `undefined` if the fields keep their names and places. */
	readonly request: RequestMap | undefined;
}

/** The values of a request, in their places on the wire. */
export interface MappedRequest {
	/** The path's parameters, unescaped. */
	readonly params: Readonly<Record<string, unknown>>;
	readonly query: Readonly<Record<string, unknown>>;
	/** `undefined` for a request without a body. */
	readonly body: unknown;
	readonly headers: Readonly<Record<string, string>>;
}
