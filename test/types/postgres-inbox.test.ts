import { postgresInbox } from "messaging-gateway/stores/postgres";
import type { Inbox } from "messaging-gateway/webhooks";
import { type ClientBase, Pool } from "pg";
import { describe, expectTypeOf, test } from "vitest";

/** Never called. */
const openInbox = () => postgresInbox(new Pool());

type Handed = ReturnType<typeof openInbox> extends Inbox<infer Transaction> ? Transaction : never;

describe("what a handler gets of a Pool", () => {
	test("runs statements, and can be passed on as a client", () => {
		expectTypeOf<Handed>().toExtend<ClientBase>();
		expectTypeOf<Handed["query"]>().toEqualTypeOf<ClientBase["query"]>();
	});

	test("cannot be given away", () => {
		expectTypeOf<Handed>().not.toHaveProperty("release");
		expectTypeOf<Handed>().not.toHaveProperty("end");
	});
});
