import { describe, expect, test } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { brokenPage, html, json, text } from "../../../support/wire.ts";
import { endingOf, type Played } from "./call-ending.ts";

const health = (steps: Played["steps"]): Played => ({
	steps,
	call: (gateway) => gateway.health.check(),
});
const page = "ResponseShapeError unexpected_response 200, unknown: the body is a web page";

const HEALTH: Outcomes<Played> = {
	'{"status":"up"}': { JSON: health(json(200, { status: "up" })) },
	'"OK"': { text: health(text(200, "OK")) },
	'"OK\\n"': { "a word that is sent as HTML": health(text(200, "OK\n", { "Content-Type": "text/html" })) },
	'""': { "an empty text": health(text(200, "")), "a 204": health(new Response(null, { status: 204 })) },
	'{"ok":true,"data":1}': { "an envelope": health(json(200, { ok: true, data: 1 })) },
	'{"ok":false,"error":{"code":"X"}}': { "a no": health(json(200, { ok: false, error: { code: "X" } })) },
	null: { "JSON null": health(json(200, null)) },
	'"<status>up</status>"': { "XML that is no web page": health(text(200, "<status>up</status>")) },
	'{"status":"degraded","error":{"code":"DB"}}': {
		"a report with an error in it": health(json(200, { status: "degraded", error: { code: "DB" } })),
	},
	[page]: {
		"a page by its type": health(text(200, "Sign in", { "Content-Type": "text/html; charset=utf-8" })),
		"a page by the type of XHTML": health(
			text(200, "<?xml version='1.0'?>", { "Content-Type": "application/xhtml+xml" }),
		),
		"a word of 21 letters that is sent as HTML": health(
			text(200, "a".repeat(21), { "Content-Type": "text/html" }),
		),
		...Object.fromEntries(
			[
				...[
					"<!-- saved -->",
					"<head>",
					"<body class=a>",
					"<SCRIPT>x</SCRIPT>",
					"<meta charset=utf-8>",
					"<title>x",
				],
				"\n<!DOCTYPE html><title>Sign in</title>",
			].map((begin) => [`a page that begins with ${JSON.stringify(begin)}`, health(text(200, begin))]),
		),
	},
	// The transport over node:http reports it otherwise.
	...(!isNodeHttp && {
		"ConnectionError connection_failed, unknown": { "a page that breaks off": health(brokenPage) },
	}),
	"ServerError server_error 500, unknown": { "a failure": health(html(500)) },
};

describe("health.check", () => {
	testOutcomes(HEALTH, endingOf);

	test("is not signed, and needs no credentials", async () => {
		const { gateway, requests } = scriptGateway([text(200, "OK")]);
		await gateway.health.check();
		expect([...(requests[0]?.headers.keys() ?? [])]).toEqual(["accept"]);
	});
});
