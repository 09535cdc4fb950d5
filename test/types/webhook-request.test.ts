import { createWebhookRequest } from "messaging-gateway/testing";
import { describe, expectTypeOf, test } from "vitest";

type Overrides = NonNullable<Parameters<typeof createWebhookRequest<"inbound_message">>[1]>;

/** Never called: what matters is that it compiles. */
const requests = () => [
	createWebhookRequest("inbound_message", { text: null }),
	createWebhookRequest("inbound_message", { text: undefined, attachments: "none", type: "message.received" }),
	createWebhookRequest("inbound_reaction", { reaction: 5, added: true }),
	createWebhookRequest("status", { status: null, type: "status", error: undefined }),
	// @ts-expect-error no event is of this kind
	createWebhookRequest("inbound_typing"),
	// @ts-expect-error a payload is an object
	createWebhookRequest("status", "read"),
];

describe("createWebhookRequest", () => {
	test("a field accepts any value, and an editor knows its name", () => {
		expectTypeOf(requests).returns.toEqualTypeOf<Request[]>();
		expectTypeOf<Overrides["text"]>().toBeUnknown();
		expectTypeOf<"text" | "attachments" | "groupId">().toExtend<KnownKeys<Overrides>>();
	});
});

/** The names that are listed, without the index signature. */
type KnownKeys<Type> = keyof { [Key in keyof Type as string extends Key ? never : Key]: unknown };
