import type { RequestListener } from "node:http";
import express from "express";
import { MessagingGateway } from "messaging-gateway";
import { createAdjustableClock } from "messaging-gateway/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DeliveryView } from "../../src/tools/control/contract.ts";
import {
	type ControlledGateway,
	createControlledGateway,
} from "../../src/tools/control/create-controlled-gateway.ts";
import type { DELIVERY_WORDS } from "../../src/tools/control/diagnosis/delivery-words.ts";
import { holdClosedPort } from "../support/closed-port.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningServer, serve } from "../support/serve.ts";
import { receive as receiveWith, respond, serveNoHttp, serveUntrusted } from "./support/receivers.ts";

const CONTACT = "+15551234567";
const SECRET = "a-webhook-secret-of-the-gateway-3962";

/** A receiver of this package: the correct one, if nothing is changed. */
const receive = (changes: Parameters<typeof receiveWith>[1] = {}): RequestListener =>
	receiveWith(SECRET, changes);

let receiver: RunningServer;
/** What the receiver does at `/webhooks`; anything else is not found. */
let listener: RequestListener;
let world: ControlledGateway;
const closing = new Set<AsyncDisposable>();

beforeEach(async () => {
	listener = receive();
	receiver = await serve((request, response) => {
		if (request.url === "/webhooks") return listener(request, response);
		if (request.url === "/old") return respond(308, { Location: "/webhooks" })(request, response);
		return respond(404)(request, response);
	});
	world = createControlledGateway({
		clock: createAdjustableClock({ frozen: true }),
		webhookSecret: SECRET,
		deliverTo: `${receiver.url}/webhooks`,
		webhooks: { retryDelaysMs: [] },
	});
});

afterEach(async () => {
	await world.local.close();
	await receiver[Symbol.asyncDispose]();
	for (const server of closing) await server[Symbol.asyncDispose]();
	closing.clear();
});

function lastDelivery(): DeliveryView {
	const [delivery] = world.control.deliveries({ limit: 1 }).items;
	if (delivery === undefined) throw new Error("there is no delivery");
	return delivery;
}

async function untilOver(): Promise<DeliveryView> {
	return eventually(() => {
		const delivery = lastDelivery();
		expect(delivery.state).not.toBe("pending");
		return delivery;
	});
}

async function receiveMessage(): Promise<DeliveryView> {
	await world.local.contact(CONTACT).reply("Hello");
	return untilOver();
}

async function deliverAgain({ eventId }: DeliveryView, body?: string): Promise<DeliveryView> {
	await world.control.act({ type: "redeliver", eventId, ...(body === undefined ? {} : { body }) });
	return untilOver();
}

const register = (inboundWebhookUrl: string | null): Promise<unknown> =>
	world.control.act({ type: "destinations", inboundWebhookUrl });

/** A delivery that fails. */
interface Failure {
	/** What is broken, before the contact writes. */
	readonly breaking?: () => unknown;
	/** What is delivered instead of the event's body. */
	readonly body?: string;
	/** The sentence, in which {url} is the receiver's address and {other} the registered one. */
	readonly reason: string;
}

/** What each fix comes to. */
const fix = async (): Promise<void> => {
	listener = receive();
	await register(`${receiver.url}/webhooks`);
};

const FAILURES: { readonly [Cause in keyof typeof DELIVERY_WORDS]: Failure } = {
	no_webhook_url: {
		breaking: () => register(null),
		reason: "No webhook URL is registered for messages and reactions, so the event waits here.",
	},
	nobody_listens: {
		async breaking() {
			const closed = await holdClosedPort();
			closing.add(closed);
			await register(`${closed.url}/webhooks`);
		},
		reason: "Nobody listens at {other}.",
	},
	unknown_host: {
		breaking: () => register("https://receiver.invalid/webhooks"),
		reason: "There is no host receiver.invalid.",
	},
	port_blocked: {
		breaking: () => register("http://127.0.0.1:6667/webhooks"),
		reason: "fetch blocks port 6667, which belongs to another protocol, so nothing was sent.",
	},
	https_expected_http: {
		breaking: () => register(`${receiver.url.replace("http:", "https:")}/webhooks`),
		reason: "The webhook URL has https, but {other} doesn't speak TLS.",
	},
	certificate_rejected: {
		async breaking() {
			const server = await serveUntrusted(respond(200));
			closing.add(server);
			await register(`${server.url}/webhooks`);
		},
		reason: "The certificate of {other} isn't trusted by this machine.",
	},
	connection_closed: {
		breaking: () => {
			listener = ({ socket }) => socket.destroy();
		},
		reason: "The receiver at {url} closed the connection without a response.",
	},
	no_response_in_time: {
		breaking: () => {
			listener = () => void world.local.clock.advance(10_000);
		},
		reason: "The receiver didn't respond within 10 s.",
	},
	response_not_ended: {
		breaking: () => {
			listener = (_, response) => {
				// More than the buffers between them hold, so that it is read when all of it is written.
				response.write(Buffer.alloc(32 * 2 ** 20), () => void world.local.clock.advance(10_000));
			};
		},
		reason: "The receiver began its response and didn't end it within 10 s.",
	},
	unreachable: {
		async breaking() {
			const server = await serveNoHttp();
			closing.add(server);
			await register(`${server.url}/webhooks`);
		},
		reason: "No HTTP response came from {other}: {error}.",
	},
	altered_by_fault: {
		breaking: () => world.control.act({ type: "webhook_fault", fault: { kind: "tamper" } }),
		reason: "A fault altered this attempt, and the receiver rejected it with 401, as it should.",
	},
	signature_not_checked: {
		async breaking() {
			listener = respond(200);
			await world.control.act({ type: "webhook_fault", fault: { kind: "wrong_signature" } });
		},
		reason:
			"A fault made the signature of this attempt wrong, and the receiver acknowledged it with 200: it doesn't check signatures, or something else responds in its place.",
	},
	signature_rejected: {
		breaking: () => {
			listener = receive({ secret: "another-secret" });
		},
		reason:
			"The gateway signed with the webhook secret ending …3962; the receiver rejected the signature: it verified JSON that it wrote again instead of the raw bytes, or it has another secret.",
	},
	unauthorized: {
		breaking: () => {
			listener = respond(401, {}, '{"error":"unauthorized"}');
		},
		reason:
			"The gateway signed with the webhook secret ending …3962; the receiver responded 401: it verified JSON that it wrote again instead of the raw bytes, it has another secret, or it expects a login.",
	},
	body_already_parsed: {
		breaking: () => {
			listener = express().use(express.json(), (request, response) => void receive()(request, response));
		},
		reason: "The receiver parsed or read the body before it verified it, so the signed bytes are gone.",
	},
	header_lost: {
		breaking: () => {
			listener = (request, response) => {
				delete request.headers["x-svc-signature"];
				request.rawHeaders = [];
				receive()(request, response);
			};
		},
		reason: "The receiver didn't get all signed headers, or got them changed.",
	},
	timestamp_rejected: {
		breaking: () => {
			listener = receive({ clock: { now: () => 0, setTimer: () => () => {} } });
		},
		reason: "The receiver rejected the time of signing, {time}, as too far from its clock.",
	},
	body_not_json: {
		body: "Hello",
		reason: "The receiver accepted the signature, but the body was no JSON object.",
	},
	body_too_large: {
		breaking: () => {
			listener = receive({ maxBodyBytes: 10 });
		},
		reason: "The body is larger than the receiver accepts.",
	},
	receiver_misconfigured: {
		breaking: () => {
			listener = receive({ secret: () => ({ tenant: "a", secret: "" }) });
		},
		reason: "The receiver's webhook options are invalid, or its secret is missing or badly copied.",
	},
	payload_not_decoded: {
		breaking: () => {
			const decode = () => JSON.parse("no JSON");
			listener = receive({ profile: { events: { decode } } });
		},
		reason: "The receiver accepted the signature, and the decoder of its profile failed.",
	},
	still_processing: {
		breaking: () => {
			listener = respond(503, {}, "in_flight");
		},
		reason: "The receiver is still processing an earlier delivery of this event.",
	},
	handler_failed: {
		breaking: () => {
			const inbound_message = (): void => {
				throw new Error("no");
			};
			listener = receive({ on: { inbound_message, unknown: () => {} } });
		},
		reason: "The receiver's handler threw, and the response was 500.",
	},
	handler_timed_out: {
		breaking: () => {
			listener = respond(503, {}, "handler_timed_out");
		},
		reason: "The receiver's handler didn't finish within its time.",
	},
	store_unavailable: {
		breaking: () => {
			const fail = async (): Promise<never> => {
				throw new Error("no connection");
			};
			listener = receive({ store: { claim: fail, extend: fail, complete: fail, release: fail } });
		},
		reason: "The receiver's store of events failed, so it accepts no event.",
	},
	path_not_found: {
		breaking: () => register(`${receiver.url}/webhook?token=hidden`),
		reason: "The receiver has nothing at {url}/webhook: it responded 404.",
	},
	method_not_allowed: {
		breaking: () => {
			listener = respond(405);
		},
		reason: "{url}/webhooks doesn't accept POST: it responded 405.",
	},
	redirected: {
		breaking: () => {
			listener = respond(308, { Location: "/webhooks/?token=hidden" });
		},
		reason: "{url}/webhooks redirects, and the gateway doesn't follow: it leads to {url}/webhooks/.",
	},
	login_expected: {
		breaking: () => {
			listener = respond(302, { Location: "/login?next=hidden" });
		},
		reason: "{url}/webhooks asks for a login: it leads to {url}/login. The webhook didn't reach its handler.",
	},
	rate_limited: {
		breaking: () => {
			listener = respond(429);
		},
		reason: "The receiver, or something in front of it, responded 429: too many requests.",
	},
	server_failed: {
		breaking: () => {
			listener = respond(502);
		},
		reason: "The receiver failed with 502 before or in its handler.",
	},
	page_responded: {
		breaking: () => {
			listener = respond(200, { "Content-Type": "text/html" }, "<!doctype html><title>Home</title>");
		},
		reason:
			"A web page responded 200 at {url}/webhooks: no webhook handler got the event, and the gateway takes it for delivered.",
	},
	event_not_accepted: {
		breaking: () => {
			listener = respond(400, {}, "Webhook Error: hidden");
		},
		reason: "The receiver responded 400: it rejected the signature, or it expects another body.",
	},
	other_status: {
		breaking: () => {
			listener = respond(418);
		},
		reason: "The receiver responded 418; only a status from 200 to 299 acknowledges an event.",
	},
	slow_response: {
		breaking: () => {
			listener = async (request, response) => {
				await world.local.clock.advance(6_000);
				receive()(request, response);
			};
		},
		reason: "The receiver took 6 s; after 10 s the gateway gives an attempt up.",
	},
};

describe.each(Object.entries(FAILURES))("%s", (cause, { breaking, reason, body }) => {
	test("has one sentence, and its fix fixes it", async () => {
		await breaking?.();
		const first = await receiveMessage();
		const failed = body === undefined ? first : await deliverAgain(first, body);
		const { origin } = new URL(failed.url === "" ? receiver.url : failed.url);
		const signedAt = new Date((failed.attempts.at(-1)?.timestamp ?? 0) * 1_000).toISOString();
		const expected = reason
			.replaceAll("{other}", origin)
			.replaceAll("{url}", receiver.url)
			.replaceAll("{time}", signedAt)
			.replaceAll("{error}", failed.attempts.at(-1)?.error ?? "");
		expect(failed.diagnosis).toMatchObject({ cause, reason: expected });
		expect(JSON.stringify(failed.diagnosis)).not.toContain("hidden");

		await fix();
		const fixed = await deliverAgain(failed);
		expect(fixed.state).toBe("delivered");
		expect(fixed.diagnosis).toBeUndefined();
	});
});

describe("a button registers the URL that is right", () => {
	test.each([
		["https on http", () => register(`${receiver.url.replace("http:", "https:")}/webhooks`)],
		["a redirect", () => register(`${receiver.url}/old`)],
	])("%s", async (_, breaking) => {
		await breaking();
		const failed = await receiveMessage();
		const [remedy] = failed.diagnosis?.remedies ?? [];
		const url = `${receiver.url}/webhooks`;
		expect(remedy).toMatchObject({
			label: `Register ${url}`,
			command: `npx messaging-gateway log ${failed.eventId} --redeliver --to ${url} --base-url ${world.local.baseUrl}`,
		});
		for (const action of remedy?.actions ?? []) await world.control.act(action);
		expect(await untilOver()).toMatchObject({ state: "delivered", url });
	});

	test.each([
		"/webhooks/?token=hidden",
		"//name:hidden@localhost/webhooks",
		"/$(hidden)",
		"/webhooks;hidden",
		"file:///hidden",
		"/hidden".repeat(100),
	])("but not %s", async (location) => {
		listener = respond(308, { Location: location });
		const failed = await receiveMessage();
		expect(failed.diagnosis).toMatchObject({ cause: "redirected", remedies: [] });
	});
});

describe("a redirect", () => {
	const causeOf = async (location: string, status: number): Promise<string | undefined> => {
		listener = respond(status, { Location: location });
		return (await receiveMessage()).diagnosis?.cause;
	};

	test.each<[location: string, status: number]>([
		["/login", 302],
		["/users/sign_in?next=%2Fwebhooks", 303],
		["/api/auth/signin", 307],
		["/account/log-in/", 302],
		["/auth", 302],
		["/login.html", 301],
		["https://accounts.example.com/o/webhooks", 302],
		["https://login.example.com/", 302],
	])("to %s with %i asks for a login, which is not registered", async (location, status) => {
		expect(await causeOf(location, status)).toBe("login_expected");
	});

	test.each([
		"/webhooks/",
		"/blogging",
		"/design/in",
		"/auth/webhooks",
		"/signing",
		"https://accountshop.example.com/webhooks",
	])("to %s is a moved route", async (location) => {
		expect(await causeOf(location, 302)).toBe("redirected");
	});
});

test.each(["", "OK"])("an acknowledgement with the type of HTML is no page if it is %j", async (body) => {
	listener = respond(200, { "Content-Type": "text/html; charset=utf-8" }, body);
	const delivery = await receiveMessage();
	expect(delivery.state).toBe("delivered");
	expect(delivery.diagnosis).toBeUndefined();
});

test("a status that nothing takes at the message's own URL is fixed in the message", async () => {
	const client = new MessagingGateway(world.local.clientOptions);
	const statusCallback = `${receiver.url}/webhook/other`;
	await client.messages.sendText({ to: CONTACT, text: "Hello", statusCallback });
	await world.local.clock.advance(6_000);
	const failed = await untilOver();
	expect(failed.diagnosis).toMatchObject({
		cause: "path_not_found",
		fix: expect.stringContaining("statusCallback"),
		remedies: [],
	});
});
