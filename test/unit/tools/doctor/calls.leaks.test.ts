import { inspect } from "node:util";
import { diagnose } from "messaging-gateway/doctor";
import { describe, expect, test } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { SECRET, type SentRequest, type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { errorResponse, networkError, ok, text } from "../../../support/wire.ts";

const NUMBER = "+15555550100";

/** Everything that a careless gateway, proxy or network stack could repeat. */
const ECHOES: readonly (readonly [title: string, echo: (request: SentRequest) => string])[] = [
	["the number", () => `no mapping for ${NUMBER}`],
	["the number without its plus", () => `no mapping for ${NUMBER.slice(1)}`],
	["the encoded number", () => `cannot route ${encodeURIComponent(NUMBER)}`],
	["the URL", ({ url }) => `cannot route ${url}`],
	["the signature", ({ headers }) => `bad header ${headers.get("Authorization")}`],
	["the signature alone", ({ headers }) => headers.get("Authorization")?.slice(5) ?? "none"],
	["the app id", ({ headers }) => `unknown app ${headers.get("X-App-Id")}`],
];

/** All that anyone could print of a diagnosis whose every request meets the same. */
async function watch(step: Step) {
	const lines: unknown[] = [];
	const log = (line: unknown) => lines.push(line);
	const { gateway, clock, requests } = scriptGateway([step], {
		// It may be the secret, where the two have changed places.
		appId: "app-id-that-is-not-shown",
		logger: { debug: log, info: log, warn: log, error: log },
		logLevel: "debug",
		hooks: {
			onRequest: (info) => lines.push(inspect(info)),
			onResponse: (info) => lines.push(inspect(info)),
		},
	});
	const diagnosis = await settle(clock, diagnose(gateway, { probeBody: true }));
	lines.push(JSON.stringify(diagnosis), inspect(diagnosis, { depth: 10 }));
	return { shown: lines.join("\n"), requests, diagnosis };
}

function expectNothingSensitive({ shown, requests }: Awaited<ReturnType<typeof watch>>): void {
	for (const word of [SECRET, "5555550100", "app-id-that-is-not-shown", "HMAC "])
		expect(shown).not.toContain(word);
	for (const { headers } of requests) {
		const signature = headers.get("Authorization")?.slice(5);
		if (signature !== undefined) expect(shown).not.toContain(signature);
	}
}

describe.each(ECHOES)("%s, said again,", (_title, echo) => {
	const afterHealth =
		(step: (request: SentRequest) => Response | Promise<Response>): Step =>
		(request) =>
			request.url.endsWith("/health") ? text(200, "OK") : step(request);

	test("in a response is not in the result", async () => {
		const responses: ((request: SentRequest) => Response)[] = [
			(request) => errorResponse(401, { message: echo(request), details: { reason: echo(request) } }),
			(request) => errorResponse(401, { code: echo(request) }),
			(request) => errorResponse(403, { message: echo(request) }),
			(request) => errorResponse(404, { message: echo(request), code: echo(request) }),
			(request) => errorResponse(500, { message: echo(request) }),
			(request) => text(502, echo(request)),
			(request) => text(200, echo(request)),
			(request) => ok({ mapping: echo(request) }),
			(request) => text(302, "", { Location: `/${encodeURIComponent(echo(request))}/health` }),
			(request) => text(401, "", { "WWW-Authenticate": `Basic realm="${echo(request)}"` }),
			(request) => text(404, "", { "X-Request-Id": `id ${echo(request)}` }),
		];
		for (const response of responses) {
			expectNothingSensitive(await watch(response));
			const seen = await watch(afterHealth(response));
			expectNothingSensitive(seen);
			expect(seen.diagnosis.checks.length).toBeGreaterThan(3);
		}
	});

	test("by the network is not in the result", async () => {
		for (const wrap of [
			(message: string) => new Error(message),
			(message: string) => new TypeError("fetch failed", { cause: new Error(message) }),
			(message: string) => networkError("ECONNRESET", message),
			(message: string) => Object.assign(new Error("x"), { code: message, name: message }),
		]) {
			const fail = (request: SentRequest): Promise<Response> => Promise.reject(wrap(echo(request)));
			expectNothingSensitive(await watch(fail));
			expectNothingSensitive(await watch(afterHealth(fail)));
		}
	});
});
