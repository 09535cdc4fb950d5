import type { Outcome } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../support/catch-error.ts";
import { settle } from "../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../support/operations.ts";
import { type Step, scriptGateway, silence } from "../../support/scripted-gateway.ts";
import { brokenBody, html, networkError, refusal, text } from "../../support/wire.ts";

const refused = networkError("ECONNREFUSED");
const reset = networkError("ECONNRESET");

async function outcomeOf(steps: readonly Step[]): Promise<unknown> {
	const { gateway, clock, requests } = scriptGateway(steps, { maxRetries: steps.length - 1 });
	const error = await catchRejection(settle(clock, BY_RETRY_CLASS.safe.call(gateway)));
	expect(requests).toHaveLength(steps.length);
	expect(error).toMatchObject({ attempts: steps.length });
	return (error as { outcome: Outcome }).outcome;
}

describe("the outcome of a single attempt", () => {
	test.each<[title: string, step: Step, outcome: Outcome]>([
		["a refused connection", refused, "not_sent"],
		["a name that does not resolve", networkError("ENOTFOUND"), "not_sent"],
		["a connection that was reset", reset, "unknown"],
		["a fetch that rejects with no error at all", () => Promise.reject(undefined), "unknown"],
		["a silence", silence, "unknown"],
		["a silence within the body of a 200", () => new Response(new ReadableStream()), "accepted"],
		[
			"a silence within the body of a 400",
			() => new Response(new ReadableStream(), { status: 400 }),
			"rejected",
		],
		[
			"a silence within the body of a 500",
			() => new Response(new ReadableStream(), { status: 500 }),
			"unknown",
		],
		["a 200 that breaks off", brokenBody(200), "accepted"],
		["a 400 that breaks off", brokenBody(400), "rejected"],
		["a 503 that breaks off", brokenBody(503), "unknown"],
		["a 200 that is HTML", html(200), "accepted"],
		["a 200 that says no", refusal(200), "rejected"],
		["a permanent redirect", text(308, ""), "rejected"],
		["a redirect to what was done", text(303, ""), "unknown"],
		["a redirect that may change the method", text(302, ""), "unknown"],
		["a 400", refusal(400), "rejected"],
		["a 429", refusal(429), "rejected"],
		["a 500 in the gateway's own words", refusal(500), "unknown"],
		["a 503 in the gateway's own words", refusal(503), "rejected"],
		["a 503 of a proxy", html(503), "unknown"],
		["a 504", html(504), "unknown"],
	])("of %s", async (_title, step, outcome) => {
		expect(await outcomeOf([step])).toBe(outcome);
	});
});

describe("the outcome over several attempts is the most telling one", () => {
	test.each<[title: string, steps: Step[], outcome: Outcome]>([
		["never sent", [refused, refused], "not_sent"],
		["refused connection, then refusal", [refused, refusal(404)], "rejected"],
		["refusal, then refused connection", [refusal(429), refused], "rejected"],
		["lost, then refused connection", [reset, refused], "unknown"],
		["lost, then a clear refusal", [reset, refusal(400)], "unknown"],
		["time-out, then a clear refusal", [silence, refusal(404)], "unknown"],
		["refusal, then lost", [refusal(503), reset], "unknown"],
		["lost, then accepted and unusable", [reset, html(200)], "accepted"],
		["refused connection, then accepted and unusable", [refused, text(200, "")], "accepted"],
		["refusal, failure half way, refusal", [refusal(429), html(502), refusal(403)], "unknown"],
	])("%s", async (_title, steps, outcome) => {
		expect(await outcomeOf(steps)).toBe(outcome);
	});
});

test("a body that breaks off with the code of a refused connection was answered all the same", async () => {
	const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
	const body = new ReadableStream({ start: (controller) => controller.error(cause) });
	const { gateway } = scriptGateway([() => new Response(body)]);
	const error = (await catchRejection(BY_RETRY_CLASS.safe.call(gateway))) as Error;
	expect(error).toMatchObject({ outcome: "accepted", attempts: 1 });
	expect(error.message).toContain("was answered 200, but the connection broke");
});

test("a call that runs out of time between attempts keeps what is known", async () => {
	const { gateway, clock } = scriptGateway([refused, silence], { timeoutMs: 5_000 });
	const error = await catchRejection(settle(clock, BY_RETRY_CLASS.safe.call(gateway)));
	expect(error).toMatchObject({ code: "timeout", scope: "call", outcome: "unknown", attempts: 2 });
});
