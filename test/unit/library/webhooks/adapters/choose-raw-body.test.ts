import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { chooseRawBody } from "../../../../../src/library/webhooks/adapters/node-request.ts";

const SENT = '{"text":"é"}';

/** A request whose stream holds what was sent, with what a platform or a parser put on it. */
function createRequest(fields: { rawBody?: unknown; body?: unknown } = {}, sent = SENT) {
	return Object.assign(Readable.from(sent === "" ? [] : [Buffer.from(sent)], { objectMode: false }), {
		headers: {},
		complete: true,
		...fields,
	});
}

async function textOf(body: unknown): Promise<string> {
	if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body).toString();
	return String(await buffer(body as AsyncIterable<Uint8Array>));
}

describe("the raw body of a request of Node", () => {
	test.each<[title: string, fields: { rawBody?: unknown; body?: unknown }]>([
		["the unread stream", {}],
		["the unread stream beside the {} of a parser that skipped it", { body: {} }],
		["the unread stream beside a rawBody that is no raw body", { rawBody: true }],
		["rawBody before all else", { rawBody: Buffer.from(SENT), body: "parsed" }],
		["rawBody as text", { rawBody: SENT, body: { text: "é" } }],
		["body as bytes", { body: Buffer.from(SENT) }],
		["body as a string", { body: SENT }],
	])("is %s", async (_title, fields) => {
		expect(await textOf(chooseRawBody(createRequest(fields)))).toBe(SENT);
	});

	test.each<[title: string, sent: string, read: (request: Readable) => unknown]>([
		["read to its end", SENT, (request) => buffer(request)],
		["read in part", SENT, (request) => once(request, "readable").then(() => request.read(1))],
		["empty, and read", "", (request) => buffer(request)],
	])("is what a parser left of a stream that was %s", async (_title, sent, read) => {
		const parsed = { text: "é" };
		const request = createRequest({ body: parsed }, sent);
		await read(request);
		expect(chooseRawBody(request)).toBe(parsed);
	});

	test("is nothing where the stream was read and nobody kept anything", async () => {
		const request = createRequest();
		await buffer(request);
		expect(chooseRawBody(request)).toBeUndefined();
	});

	test("does not destroy the request when its reader stops early, for loggers of rejected requests", async () => {
		const request = createRequest();
		for await (const _chunk of chooseRawBody(request) as AsyncIterable<unknown>) break;
		expect(request.destroyed).toBe(false);
	});
});
