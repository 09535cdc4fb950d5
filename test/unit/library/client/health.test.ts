import { ResponseShapeError, ServerError } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { brokenPage, errorResponse, html, json, text } from "../../../support/wire.ts";

describe("health.check", () => {
	test.each<[title: string, response: () => Response, data: unknown]>([
		["JSON as it is", () => json(200, { status: "up" }), { status: "up" }],
		["text as it is", () => text(200, "OK"), "OK"],
		["a word that is sent as HTML", () => text(200, "OK\n", { "Content-Type": "text/html" }), "OK\n"],
		["an empty text", () => text(200, ""), ""],
		["an envelope as it is", () => json(200, { ok: true, data: 1 }), { ok: true, data: 1 }],
		["a no as it is", () => errorResponse(200), expect.objectContaining({ ok: false })],
		["JSON null", () => json(200, null), null],
		["XML that is no web page", () => text(200, "<status>up</status>"), "<status>up</status>"],
		[
			"a report with an error in it",
			() => json(200, { status: "degraded", error: { code: "DB" } }),
			{ status: "degraded", error: { code: "DB" } },
		],
	])("%s", async (_title, response, data) => {
		const { gateway } = scriptGateway([response()]);
		expect(await gateway.health.check()).toEqual(data);
	});

	test.each<[title: string, response: () => Response]>([
		["by its type", () => text(200, "Sign in", { "Content-Type": "text/html; charset=utf-8" })],
		[
			"by the type of XHTML",
			() => text(200, "<?xml version='1.0'?>", { "Content-Type": "application/xhtml+xml" }),
		],
		...[
			"<!-- saved -->",
			"<head>",
			"<body class=a>",
			"<SCRIPT>x</SCRIPT>",
			"<meta charset=utf-8>",
			"<title>x",
		].map((page): [string, () => Response] => [`that begins with ${page}`, () => text(200, page)]),
		["by its beginning", () => text(200, "\n<!DOCTYPE html><title>Sign in</title>")],
		["that breaks off", () => brokenPage()],
	])("a web page %s is not the gateway's, so it reads as unhealthy", async (_title, response) => {
		const { gateway, requests } = scriptGateway([response()]);
		const error = await catchRejection(gateway.health.check());
		expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
		expect(requests).toHaveLength(1);
	});

	test("a web page is named in the error", async () => {
		const { gateway } = scriptGateway([html(200)]);
		const error = (await catchRejection(gateway.health.check())) as ResponseShapeError;
		expect(error).toBeInstanceOf(ResponseShapeError);
		expect(error.issues).toEqual([{ path: "", message: "the body is a web page" }]);
		expect(error.message).toContain("Something other than the gateway seems to have responded");
		expect(error.readBody()).toContain("<html>");
	});

	test("is not signed, and needs no credentials", async () => {
		const { gateway, requests } = scriptGateway([text(200, "OK")]);
		await gateway.health.check();
		const names = [...(requests[0]?.headers.keys() ?? [])];
		expect(names).toEqual(["accept"]);
	});

	test("fails like every other call", async () => {
		const { gateway } = scriptGateway([html(500)], { maxRetries: 0 });
		expect(await catchRejection(gateway.health.check())).toBeInstanceOf(ServerError);
	});
});
