import { globSync, readFileSync } from "node:fs";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { CORS } from "../../scripts/docs/cors.ts";
import { PICTURES, TABLES } from "../../scripts/docs/tables.ts";
import { DOCUMENTS, withTables } from "../../scripts/write-tables.ts";
import { sentBy } from "../support/sent-requests.ts";
import { USER } from "../support/wire.ts";

const read = (path: string): string => readFileSync(path, "utf8");

test.each(DOCUMENTS)("the tables of %s match the code: run `npm run docs`", (path) => {
	expect(read(path)).toBe(withTables(read(path)));
});

describe("the headers that a gateway allows to a page", () => {
	test("are those that a send has", async () => {
		const { headers } = await sentBy((gateway) => gateway.messages.sendText({ to: USER, text: "Hello" }));
		// Allowed without being named (Fetch Standard, CORS-safelisted request-header).
		headers.delete("Accept");
		expect([...headers.keys()]).toEqual(CORS.requestHeaders.map((name) => name.toLowerCase()));
	});

	test("are those of the local gateway, which has only some of the others", async () => {
		const local = createLocalGateway();
		const preflight = new Request(`${local.baseUrl}/message/text`, { method: "OPTIONS" });
		const { headers } = await local.fetch(preflight);
		expect(headers.get("Access-Control-Allow-Headers")).toBe(CORS.requestHeaders.join(", "));
		const exposed = headers.get("Access-Control-Expose-Headers")?.split(", ") ?? [];
		expect(CORS.responseHeaders).toEqual(expect.arrayContaining(exposed));
	});
});

test("each table is in a document, between two marks", () => {
	const all = DOCUMENTS.map(read).join("\n");
	const names = Array.from(all.matchAll(/^<!-- ([\w-]+) -->$/gm), (match) => match[1]);
	const ends = Array.from(all.matchAll(/^<!-- \/([\w-]+) -->$/gm), (match) => match[1]);
	expect(names.sort()).toEqual(Object.keys(TABLES).sort());
	expect(ends.sort()).toEqual(names);
});

test.each([...PICTURES.values()])(
	"docs/$path is what the record draws: run `npm run docs`",
	({ path, svg }) => {
		expect(read(`docs/${path}`)).toBe(svg);
	},
);

test("no picture is drawn without a record", () => {
	const drawn = [...PICTURES.values()].map(({ path }) => `docs/${path}`);
	expect(globSync("docs/**/*.svg").sort()).toEqual(drawn.sort());
});
