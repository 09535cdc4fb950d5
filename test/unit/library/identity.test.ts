import { MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter } from "messaging-gateway/chat";
import { diagnose } from "messaging-gateway/doctor";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { createLocalGateway } from "messaging-gateway/testing";
import { PermanentWebhookError } from "messaging-gateway/webhooks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import * as errors from "../../../src/library/errors.ts";
import * as identity from "../../../src/library/identity.ts";
import { StoreError } from "../../../src/library/store-calls/store-error.ts";
import { catchError, catchRejection } from "../../support/catch-error.ts";
import { createReceiver } from "../../support/webhook-receiver.ts";

const TEXT = { to: "+15551234567", text: "Hello" };

/** Both versions, and what is wrong with which of ours. */
const TWO_VERSIONS = (what: string) => `${what}, and this code of ${identity.VERSION}: install one version`;

/** Another copy of the package, of this version or another one. */
async function loadCopy(version = identity.VERSION) {
	vi.resetModules();
	vi.doMock("../../../src/library/identity.ts", async (load) => ({
		...(await load<typeof identity>()),
		VERSION: version,
	}));
	return {
		errors: await import("../../../src/library/errors.ts"),
		...(await import("messaging-gateway")),
		...(await import("messaging-gateway/webhooks")),
		...(await import("../../../src/library/store-calls/store-error.ts")),
	};
}

const copy = await loadCopy();
const other = await loadCopy("messaging-gateway@0.2");

function openLocalGateway() {
	const local = createLocalGateway({ rules: "off" });
	onTestFinished(() => local.close());
	return local;
}

/** The names of the public classes that a value is an instance of. */
function classesOf(value: object, classes: object): string[] {
	const isClass = (entry: [string, unknown]): entry is [string, typeof errors.ApiError] =>
		typeof entry[1] === "function" && "prototype" in entry[1] && /^[A-Z]/.test(entry[0]);
	return Object.entries(classes)
		.filter(isClass)
		.filter(([, Class]) => value instanceof Class)
		.map(([name]) => name)
		.sort();
}

test("the version is that of the package: before 1.0 its minor version, later its major one", () => {
	const [major, minor] = manifest.version.split(".");
	expect(identity.VERSION).toBe(`messaging-gateway@${major === "0" ? `0.${minor}` : major}`);
});

describe("an error of another copy", () => {
	const concrete = Object.entries(errors).flatMap(([name]) => {
		const Class: unknown = Reflect.get(copy.errors, name);
		const isConcrete =
			/^[A-Z].+Error$/.test(name) && !["MessagingGatewayError", "CallError", "ApiError"].includes(name);
		return typeof Class === "function" && isConcrete ? [{ name, Class }] : [];
	});

	test.each(concrete)("$name is an instance of what ours is, and of nothing else", ({ name, Class }) => {
		const own: object = Object.create(Reflect.get(errors, name).prototype);
		const foreign: object = Object.create(Class.prototype);
		expect(foreign).not.toBe(own);
		const classes = classesOf(own, errors);
		expect(classes).toContain(name);
		expect(classes).toContain("MessagingGatewayError");
		expect(classes.length).toBeLessThanOrEqual(4);
		expect(classesOf(foreign, errors)).toEqual(classes);
		expect(classesOf(own, copy.errors)).toEqual(classes);
		expect(errors.isMessagingGatewayError(foreign)).toBe(true);
	});

	test("an instance of a user's subclass is one of its base, and of no other subclass", () => {
		class Ours extends errors.InputError {}
		class Theirs extends copy.errors.InputError {}
		class Again extends errors.InputError {
			override get name() {
				return "InputError" as const;
			}
		}
		const error = new Theirs("m");
		expect(error).toBeInstanceOf(errors.InputError);
		expect(error).toBeInstanceOf(Theirs);
		for (const Class of [Ours, Again]) {
			expect(error).not.toBeInstanceOf(Class);
			expect(new errors.InputError("m")).not.toBeInstanceOf(Class);
			expect(new Class("m")).toBeInstanceOf(Class);
			expect(new Class("m")).toBeInstanceOf(copy.errors.InputError);
		}
	});

	test("is found by its brand, which nothing prints, and not by its name", () => {
		const error = new copy.errors.InputError("m");
		expect(Object.keys(error)).toEqual(["code", "outcome", "issues"]);
		const alike = Object.assign(new Error("m"), { name: "InputError", code: "invalid_input" });
		expect(alike).not.toBeInstanceOf(errors.InputError);
	});

	test.each([[undefined], [null], ["InputError"], [5], [Object.create(null)], [new Error("m")]])(
		"%o is none",
		(value) => {
			expect((value as unknown) instanceof errors.MessagingGatewayError).toBe(false);
			expect((value as unknown) instanceof StoreError).toBe(false);
		},
	);

	test("of another version is none of ours", () => {
		const error = new other.errors.InputError("m");
		expect(classesOf(error, errors)).toEqual([]);
		expect(classesOf(error, other.errors)).toEqual(["InputError", "MessagingGatewayError"]);
		expect(errors.isMessagingGatewayError(error)).toBe(false);
	});
});

describe("a client of another copy", () => {
	test("sends with our sender, and is diagnosed", async () => {
		const local = openLocalGateway();
		const gateway = new copy.MessagingGateway(local.clientOptions);
		expect(gateway).not.toBeInstanceOf(MessagingGateway);
		const sender = createSender({ gateway, store: memorySendStore(), digestSecret: "a secret for digests" });
		expect(await sender.send("order-1", TEXT)).toMatchObject({ status: "accepted" });
		expect(await sender.send("order-1", TEXT)).toMatchObject({ status: "accepted" });
		expect(local.sent).toHaveLength(1);
		expect(await diagnose(gateway, { probeBody: true })).toMatchObject({ isHealthy: true });
	});

	test("rejects with its own errors, which our sender understands", async () => {
		const local = openLocalGateway();
		const gateway = new copy.MessagingGateway({ ...local.clientOptions, appSecret: "another-secret" });
		const sender = createSender({ gateway, store: memorySendStore(), digestSecret: "a secret for digests" });
		const error = await catchRejection(sender.send("order-1", TEXT));
		expect(error).toBeInstanceOf(errors.AuthenticationError);
		expect(error).toMatchObject({ outcome: "rejected" });
	});

	test("of another version is rejected in a sentence with both, before anything is sent", async () => {
		const local = openLocalGateway();
		const gateway = new other.MessagingGateway(local.clientOptions);
		const rejected = [
			catchError(() => createSender({ gateway, store: memorySendStore(), digestSecret: "digests" })),
			await catchRejection(diagnose(gateway)),
			catchError(() => createGatewayAdapter({ gateway })),
		];
		for (const error of rejected) {
			expect(error).toBeInstanceOf(errors.ConfigurationError);
			expect(error).toMatchObject({ message: TWO_VERSIONS("gateway is of messaging-gateway@0.2") });
		}
		expect(local.requests).toEqual([]);
	});

	test.each([
		["a fake", { messages: { sendText: () => undefined } }],
		["no object", "gateway"],
		["nothing", undefined],
	])("is not %s", async (_title, gateway) => {
		const message = "gateway must be a MessagingGateway: pass new MessagingGateway()";
		const error = catchError(() =>
			createSender({ gateway: gateway as never, store: memorySendStore(), digestSecret: "digests" }),
		);
		expect(error).toMatchObject({ code: "configuration", message });
		expect(await catchRejection(diagnose(gateway as never))).toMatchObject({ message });
	});
});

describe("a handler that throws", () => {
	test("a PermanentWebhookError of another copy gives the event up", async () => {
		const error = new copy.PermanentWebhookError("the account is closed");
		expect(error).toBeInstanceOf(PermanentWebhookError);
		const handle = vi.fn().mockRejectedValue(error);
		const { respond, reports } = createReceiver({ on: { inbound_message: handle } });
		expect([await respond(), await respond()]).toEqual(["200", "200"]);
		expect([handle.mock.calls.length, reports.length]).toEqual([1, 1]);
	});

	test("what only has that name does not", async () => {
		const error = Object.assign(new Error("no"), { name: "PermanentWebhookError" });
		const { respond } = createReceiver({ on: { inbound_message: () => Promise.reject(error) } });
		expect(await respond()).toBe("500 handler_failed");
	});

	test("a PermanentWebhookError of another version is reported with both", async () => {
		const error = new other.PermanentWebhookError("the account is closed");
		const { respond, reports } = createReceiver({ on: { inbound_message: () => Promise.reject(error) } });
		expect(await respond()).toBe("500 handler_failed");
		const foreign = TWO_VERSIONS("its error is of messaging-gateway@0.2 PermanentWebhookError");
		expect(reports).toMatchObject([
			{ error, hint: expect.stringContaining(`Your handler threw: ${foreign}`) },
		]);
	});
});

test("the sentence of another copy's store is shown", async () => {
	const { respond, reports, store } = createReceiver();
	store.claim = () => Promise.reject(new copy.StoreError("the table events is missing"));
	expect(await respond()).toMatch(/^503/);
	expect(reports).toMatchObject([{ hint: expect.stringContaining("the table events is missing") }]);
});
