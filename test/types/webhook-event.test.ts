import type {
	InboundMessage,
	InboundReaction,
	StatusUpdate,
	UnknownEvent,
	VerifyWebhookOptions,
	WebhookEvent,
} from "messaging-gateway/webhooks";
import { describe, expectTypeOf, test } from "vitest";

/** Never called: what matters is that it compiles. */
function narrowByKind(event: WebhookEvent): string {
	switch (event.kind) {
		case "inbound_message":
			expectTypeOf(event.data).toEqualTypeOf<InboundMessage>();
			// @ts-expect-error a message has no reaction
			event.data.reaction;
			return event.data.text;
		case "inbound_reaction":
			expectTypeOf(event.data).toEqualTypeOf<InboundReaction>();
			return event.data.reaction;
		case "status":
			expectTypeOf(event.data).toEqualTypeOf<StatusUpdate>();
			return event.data.status;
		// @ts-expect-error no event is of this kind
		case "inbound_typing":
			return "";
		default:
			expectTypeOf(event).toEqualTypeOf<UnknownEvent>();
			expectTypeOf(event.data).toEqualTypeOf<Record<string, unknown>>();
			expectTypeOf(event.reason).toEqualTypeOf<"type" | "schema">();
			return event.type ?? "";
	}
}

describe("WebhookEvent", () => {
	test("switch on kind narrows the data, and what is left is unknown", () => {
		expectTypeOf(narrowByKind).returns.toBeString();
		expectTypeOf<WebhookEvent["kind"]>().toEqualTypeOf<
			"inbound_message" | "inbound_reaction" | "status" | "unknown"
		>();
	});

	test("before narrowing, only the shared fields are there", () => {
		expectTypeOf<keyof WebhookEvent>().toEqualTypeOf<"kind" | "eventId" | "timestamp" | "data" | "filled">();
		expectTypeOf<WebhookEvent["timestamp"]>().toBeNumber();
	});

	test("statuses and reactions are open: known ones complete, new ones pass", () => {
		expectTypeOf<"SMS_FALLBACK">().toExtend<StatusUpdate["status"]>();
		expectTypeOf<"bounced">().toExtend<StatusUpdate["status"]>();
		expectTypeOf<"🦖">().toExtend<InboundReaction["reaction"]>();
		expectTypeOf<5>().not.toExtend<InboundReaction["reaction"]>();
		// A plain string would have lost the known values, and with them completion.
		expectTypeOf<StatusUpdate["status"]>().not.toEqualTypeOf<string>();
		expectTypeOf<Extract<StatusUpdate["status"], "read">>().toEqualTypeOf<"read">();
	});

	test("a group is null for an individual chat, never absent", () => {
		expectTypeOf<InboundMessage["groupId"]>().toEqualTypeOf<string | null>();
		expectTypeOf<Pick<InboundMessage, "groupId">>().toEqualTypeOf<{ groupId: string | null }>();
	});

	test("the options accept one secret or several, and no function", () => {
		expectTypeOf<{ secret: string }>().toExtend<VerifyWebhookOptions>();
		expectTypeOf<{ secret: readonly ["a", "b"] }>().toExtend<VerifyWebhookOptions>();
		expectTypeOf<{ secret: () => string }>().not.toExtend<VerifyWebhookOptions>();
		// The environment variable is read then.
		expectTypeOf<{ secret: undefined }>().toExtend<VerifyWebhookOptions>();
	});
});
