import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

const PROGRAM = new URL("./support/held-bytes.ts", import.meta.url).pathname;

/** The body's own buffer has up to two; a piece that is kept holds more than 200. */
const MAX_HELD_PER_BYTE = 20;

const READERS = [
	"node",
	"express",
	"fastify",
	"hono over HTTP",
	"fetch over HTTP",
	"hono",
	"fetch",
	"handle",
	"verifyWebhookRequest",
	"a client",
	"the local gateway",
];

let held: Record<string, number> = {};

beforeAll(async () => {
	const args = ["--conditions=@messaging-gateway/source", PROGRAM];
	held = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}, 240_000);

test("every reader is measured", () => expect(Object.keys(held)).toEqual(READERS));

test.each(READERS)("%s holds little of an unsigned body that comes byte by byte and never ends", (reader) => {
	expect(held[reader]).toBeLessThan(MAX_HELD_PER_BYTE);
});
