import { assert, assertEqual, assertFails, assertMembers, errorOf } from "../check.ts";
import type { PortableCase } from "../portable-case.ts";
import { createWorld, USER } from "../world.ts";

const TEXT = "Meet me behind the old harbour";

const BY_STATUS: readonly [status: number, name: string, code: string, outcome: string][] = [
	[302, "UnexpectedStatusError", "unexpected_status", "unknown"],
	[400, "BadRequestError", "bad_request", "rejected"],
	[401, "AuthenticationError", "authentication_failed", "rejected"],
	[403, "PermissionDeniedError", "permission_denied", "rejected"],
	[404, "NotFoundError", "not_found", "rejected"],
	[409, "ConflictError", "conflict", "rejected"],
	[418, "UnexpectedStatusError", "unexpected_status", "rejected"],
	[422, "UnprocessableEntityError", "unprocessable", "rejected"],
	[429, "RateLimitError", "rate_limited", "rejected"],
	[500, "ServerError", "server_error", "unknown"],
];

/** Errors keep their class, name and code through every bundler and engine, and their secrets. */
export const errorsCases: readonly PortableCase[] = [
	{
		name: "each status has its class and code",
		async run(library) {
			const { local, gateway, settle } = createWorld(library, { client: { maxRetries: 0 } });
			const classes = new Map(Object.entries(library.client));
			for (const [status, name, code, outcome] of BY_STATUS) {
				local.faults.respond({ status });
				const sending = gateway.messages.sendText({ to: USER, text: TEXT });
				const error = await errorOf(() => settle(sending), name);
				const expected = { name, code, outcome, status, operationId: "messages.sendText", attempts: 1 };
				assertMembers(error, expected, `${status}`);
				const ErrorClass = classes.get(name);
				assert(typeof ErrorClass === "function" && error instanceof ErrorClass, `no ${name}`);
				assert(error instanceof library.client.MessagingGatewayError, "not of the base class");
				assert(library.client.isMessagingGatewayError(error), "isMessagingGatewayError returns false");
			}
		},
	},
	{
		name: "a duplicate reports its window",
		async run(library) {
			const { gateway, settle } = createWorld(library);
			const send = () => settle(gateway.messages.sendText({ to: USER, text: TEXT }));
			await send();
			const error = await errorOf(send, "the same text again");
			assert(error instanceof library.client.DuplicateMessageError, `it is ${error}`);
			assertMembers(error, { code: "duplicate_message", outcome: "rejected" }, "the error");
			assertEqual(error.duplicate?.isDuplicate, true, "isDuplicate");
			assert(Number(error.duplicate?.timeRemaining) > 290, "the window is open for too short a time");
		},
	},
	{
		name: "a limit reports how long to wait",
		async run(library) {
			const { local, gateway, settle } = createWorld(library, { client: { maxRetries: 0 } });
			const inHalfAMinute = new Date(local.clock.now() + 30_000).toUTCString();
			for (const headers of [{ "Retry-After": "30" }, { "Retry-After": inHalfAMinute }]) {
				local.faults.respond({ status: 429, headers });
				const error = await errorOf(() => settle(gateway.mappings.list()), "a 429");
				assert(error instanceof library.client.RateLimitError, `it is ${error}`);
				assertEqual(error.retryAfterMs, 30_000, "retryAfterMs");
			}
		},
	},
	{
		name: "an input is rejected by field",
		async run(library) {
			const { local, gateway } = createWorld(library);
			const error = await errorOf(
				() => gateway.messages.sendText({ to: "5551234567", text: TEXT }),
				"a number",
			);
			assert(error instanceof library.client.InputError, `it is ${error}`);
			assertMembers(error, { code: "invalid_input", outcome: "not_sent" }, "the error");
			assertEqual(
				error.issues.map(({ path }) => path),
				["to"],
				"fields",
			);
			assertEqual(local.requests.length, 0, "requests");
		},
	},
	{
		name: "foreign errors are none of ours",
		run({ client }) {
			for (const value of [
				new Error("x"),
				new TypeError("x"),
				{ code: "timeout" },
				null,
				undefined,
				"timeout",
			]) {
				assertEqual(client.isMessagingGatewayError(value), false, String(value));
			}
		},
	},
	{
		name: "every entry has the same classes",
		run({ client, signing, webhooks }) {
			assert(
				client.MessagingGatewayError === signing.MessagingGatewayError,
				"signing has another base class",
			);
			assert(
				client.MessagingGatewayError === webhooks.MessagingGatewayError,
				"webhooks has another base class",
			);
			assert(
				client.WebhookVerificationError === webhooks.WebhookVerificationError,
				"webhooks has another error class",
			);
		},
	},
	{
		name: "nothing private shows",
		async run(library, { inspect }) {
			const { local, gateway, settle } = createWorld(library, { client: { maxRetries: 0 } });
			const send = () => settle(gateway.messages.sendText({ to: USER, text: TEXT }));
			local.faults.respond({
				status: 400,
				body: { ok: false, error: { code: "X", message: `${USER} ${TEXT}` } },
			});
			const errors = [await errorOf(send, "a 400")];
			local.faults.dropConnection({ when: "before" });
			errors.push(await errorOf(() => settle(gateway.mappings.get(USER)), "a broken connection"));
			await send();
			errors.push(await errorOf(send, "a duplicate"));
			for (const thing of [...errors, gateway]) {
				const shown = [String(thing), JSON.stringify(thing), inspect?.(thing)];
				if (thing instanceof Error) shown.push(thing.stack, inspect?.(thing.cause), String(thing.cause));
				for (const hidden of [local.appSecret, USER.slice(1), encodeURIComponent(USER), TEXT]) {
					assert(!shown.join("\n").includes(hidden), `${thing} shows ${hidden}`);
				}
			}
		},
	},
	{
		name: "without options, the environment is read",
		async run({ client }) {
			const call = () => new client.MessagingGateway().mappings.list();
			const howTo = "Deno" in globalThis ? ", with --allow-env" : "";
			const variables =
				"MESSAGING_GATEWAY_BASE_URL, MESSAGING_GATEWAY_APP_ID and MESSAGING_GATEWAY_APP_SECRET";
			const message =
				`baseUrl, appId and appSecret are missing. Pass them to the client, or set ${variables}${howTo}. ` +
				"No account yet? `npx messaging-gateway dev --write-env .env` starts a gateway and writes them";
			await assertFails(call, { name: "ConfigurationError", code: "configuration", message }, "a call");
		},
	},
	{
		name: "a secret is rejected only in a browser",
		async run({ client }, { isBrowser }) {
			const options = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "s" };
			const create = () => new client.MessagingGateway(options);
			if (isBrowser) await assertFails(create, { name: "ConfigurationError" }, "a client with a secret");
			else create();
		},
	},
];
