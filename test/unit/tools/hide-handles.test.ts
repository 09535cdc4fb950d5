import { inspect } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { signedKy } from "messaging-gateway/ky";
import { traceCalls, traceEvents } from "messaging-gateway/opentelemetry";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { createErrorReport } from "../../../src/tools/cli/failure.ts";
import { requestLine, safeNameOf } from "../../../src/tools/cli/local/lines.ts";
import { Terminal } from "../../../src/tools/cli/terminal.ts";
import { createControlledGateway } from "../../../src/tools/control/create-controlled-gateway.ts";
import { hideInPath, hideInWords } from "../../../src/tools/hide-handles.ts";
import { catchError, catchRejection } from "../../support/catch-error.ts";
import { recordSpans } from "../../support/recorded-spans.ts";

/** Each way to name a contact, and the part of it that nothing may show. */
const HANDLES = [
	["+15559876543", "5559876543"],
	["+6834002", "6834002"],
	["ana.maria+x@icloud.example", "ana.maria"],
	["jürgen@straße.example", "straße"],
	["{maria}@icloud.example", "maria"],
	["`luisa`@icloud.example", "luisa"],
	["88022", "88022"],
	["262", "262"],
] as const;

/** A gateway that quotes what it got, and rejects it. */
function quoting(handle: string, status = 422): typeof fetch {
	const message = `No agent for ${handle} (was ${encodeURIComponent(handle)}, <${handle}>, '${handle}').`;
	const details = [{ field: `participants.${handle}`, issue: handle, message: `${handle} isn't known` }];
	const error = { code: "VALIDATION_ERROR", message, requestId: "r-1", details };
	return async () => Response.json({ ok: false, error }, { status });
}

const CREDENTIALS = { baseUrl: "https://gateway.example", appId: "app", appSecret: "a secret of the app" };

/** Everything that a client shows of calls that fail, to its hooks, its log and whoever prints its errors. */
async function failCalls(handle: string): Promise<unknown[]> {
	const shown: unknown[] = [];
	const note = (value: unknown): void => void shown.push(value);
	const gateway = new MessagingGateway({
		...CREDENTIALS,
		fetch: quoting(handle),
		maxRetries: 0,
		logger: { debug: note, info: note, warn: note, error: note },
		logLevel: "debug",
		hooks: {
			onRequest: note,
			onResponse: note,
			onError: note,
			aroundCall: (info, run) => {
				note(info);
				return run().then(note);
			},
			aroundAttempt: (info, run) => {
				note(info);
				return run().then(note);
			},
		},
	});
	const sender = createSender({ gateway, store: memorySendStore(), digestSecret: "a secret for digests" });
	const ky = signedKy({ ...CREDENTIALS, fetch: quoting(handle) });
	for (const call of [
		() => gateway.mappings.get(handle),
		() => gateway.messages.sendText({ to: handle, text: "Hello" }),
		() => gateway.messages.sendText({ participants: [handle, `${handle} x`], text: "Hello" }),
		() => gateway.messages.sendText({ to: handle, text: "Hello", from: `${handle}x` }),
		() => gateway.request("GET", `/contact/${encodeURIComponent(handle)}/log`),
		() => gateway.request("GET", "/contact/{handle}", { params: { handle }, query: { handle } }),
		() => gateway.request("POST", `/contact/${handle}/../log`),
		() => sender.send("key-1", { to: handle, text: "Hello" }),
		() => ky.get(`contact/${encodeURIComponent(handle)}`).json(),
	])
		note(await catchRejection(Promise.resolve().then(call)));
	return shown;
}

function print(values: readonly unknown[]): string {
	const texts = values.map(
		(value) => `${String(value)} ${inspect(value, { depth: 9 })} ${JSON.stringify(value)}`,
	);
	// Lines of code have digits of their own.
	return texts.join("\n").replace(/\bat .*:\d+:\d+\)?|"?stack"?:.*/g, "");
}

/** What has digits of its own, by chance those of a short code: ids, dates and durations. */
const RANDOM =
	/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b\d{4}-\d\d-\d\dT[\d:.]+Z|"(durationMs|roundTripMs|clockOffsetMs)":-?[\d.]+|\b\d+(\.\d+)? ms\b/g;

const withoutTimes = (text: string): string => text.replace(/\b\d{10,13}\b|\d\d:\d\d:\d\d/g, "");

describe.each(HANDLES)("%s does not occur in", (handle, part) => {
	const escaped = encodeURIComponent(part);
	/** Fails with what stands around the handle. */
	const expectHidden = (written: string): void => {
		const text = written.replace(RANDOM, "");
		for (const shown of [part, escaped]) {
			const at = text.indexOf(shown);
			expect(at === -1 ? "" : text.slice(Math.max(0, at - 60), at + 60)).toBe("");
		}
	};

	test("what hooks, logs and errors of the client, a sender and ky show", async () => {
		const shown = await failCalls(handle);
		expect(shown.length).toBeGreaterThan(30);
		expectHidden(print(shown));
	});

	test("the spans of calls and events", async () => {
		using spans = recordSpans();
		const gateway = new MessagingGateway({
			...CREDENTIALS,
			fetch: quoting(handle),
			maxRetries: 0,
			hooks: traceCalls(),
		});
		await catchRejection(gateway.mappings.get(handle));
		await catchRejection(gateway.request("GET", `/contact/${encodeURIComponent(handle)}`));
		const handler = createWebhookHandler({
			secret: "a secret of webhooks",
			store: memoryStore(),
			hooks: traceEvents(),
			onError: () => {},
			on: {
				unknown: () => {},
				inbound_message: () => {
					throw Object.assign(new Error(handle), { name: handle });
				},
			},
		});
		const secret = "a secret of webhooks";
		await handler.fetch(
			createWebhookRequest("inbound_message", { from: handle }, { secret, eventId: "evt_one" }),
		);
		expect(spans.all().length).toBeGreaterThanOrEqual(5);
		expectHidden(
			JSON.stringify(
				spans
					.all()
					.map(({ name, attributes, status, events }) => [
						name,
						attributes,
						status,
						events.map((event) => event.name),
					]),
			),
		);
	});

	test("the hints for a webhook that failed", async () => {
		const hints: unknown[] = [];
		const secret = "a secret of webhooks";
		const handler = createWebhookHandler({
			secret,
			store: memoryStore(),
			onError: (_error, context) => hints.push(context),
			on: {
				unknown: () => {},
				inbound_message: () => {
					throw new Error(handle);
				},
			},
		});
		const response = await handler.fetch(
			createWebhookRequest("inbound_message", { from: handle }, { secret, eventId: "evt_one" }),
		);
		expect(hints.length).toBe(1);
		expectHidden(withoutTimes(print([hints, await response.text()]).replace(/evt_\w+/g, "")));
	});

	test("a diagnosis that asks for its mapping", async () => {
		await using local = createLocalGateway();
		const gateway = new MessagingGateway(local.clientOptions);
		const wrong = new MessagingGateway({ ...local.clientOptions, appSecret: "wrong" });
		for (const each of [gateway, wrong]) {
			const {
				clock: _,
				latency: __,
				...diagnosis
			} = (await diagnose(each, { probeNumber: handle })) as object as Record<string, unknown>;
			expectHidden(withoutTimes(JSON.stringify(diagnosis).replace(/"(durationMs|at|\w+Ms)":-?[\d.]+/g, "")));
		}
	});

	test("the command's report of an error that quotes it", async () => {
		const gateway = new MessagingGateway({ ...CREDENTIALS, fetch: quoting(handle), maxRetries: 0 });
		const report = createErrorReport(
			await catchRejection(gateway.messages.sendText({ to: handle, text: "Hello" })),
		);
		expect(report.details).toMatchObject({ gatewayMessage: expect.stringContaining("No agent for <") });
		expectHidden(JSON.stringify(report));
	});

	test.each([
		["an unknown path", "GET", "/contact/$/log"],
		["another base path", "GET", "/v1/mapping/$"],
		["an unknown method", "DELETE", "/analytics/conversation/$"],
	] as const)("the log line and the diagnosis of a request with %s", async (_title, method, path) => {
		const { local, control } = createControlledGateway();
		const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });
		await catchRejection(gateway.request(method, path.replace("$", encodeURIComponent(handle))));
		const [request] = control.requests({ limit: 1 }).items;
		if (request === undefined) throw new Error("no request is listed");
		const { remedies: _, ...diagnosis } = request.diagnosis ?? { remedies: undefined };
		const line = requestLine(new Terminal({ isJson: false }), { ...request, requestId: "", durationMs: 0 });
		expect(diagnosis).toMatchObject({ cause: expect.any(String) });
		expectHidden(withoutTimes(`${line} ${safeNameOf(request)} ${JSON.stringify(diagnosis)}`));
	});

	test("the error for it where no contact can be", () => {
		const local = createLocalGateway();
		expectHidden(
			print([
				catchError(() => local.contact(`${handle} `)),
				catchError(() => createLocalGateway({ agents: [`${handle}x`] })),
			]),
		);
	});
});

test.each([
	["Window remains", "Window remains"],
	["5 of 10, v1.2.345, a1234 and HTTP 99", "5 of 10, v1.2.345, a1234 and HTTP 99"],
	["ana@icloud.example, bob@x.example;+15551234567", "<e-mail address>, <e-mail address>;<number>"],
	["participants.88022 and participants.0", "participants.<number> and participants.0"],
	["mailto:ana@icloud.example.", "mailto:<e-mail address>"],
	[`${"a".repeat(100)}@icloud.example`, "<e-mail address>"],
	["no o'brien@icloud.example", "no <e-mail address>"],
	["ask @ana, or ana@", "ask @ana, or ana@"],
	["code 88022.", "code <number>."],
	["at https://a.example/88022?x=ana@b.example now", "at <URL> now"],
])("words %j become %j", (words, shown) => expect(hideInWords(words)).toBe(shown));

test.each([
	["/message/text", "/message/text"],
	["/v2/mapping/+15551234567", "/v2/mapping/+…"],
	["/mapping/ana%40icloud.example/reset", "/mapping/…/reset"],
	["/mapping/88022", "/mapping/…"],
])("the path %s becomes %s", (path, shown) => expect(hideInPath(path)).toBe(shown));

test("a gateway's words and a path of any length are hidden at once", () => {
	const long = "a-".repeat(100_000);
	// In quadratic time it would not end before the test's time is over.
	expect(hideInWords(long)).toBe(long);
	expect(hideInPath(`/${long}`)).toBe(`/${long}`);
});
