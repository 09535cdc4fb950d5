import type { WebhookHandler } from "../create-webhook-handler.ts";
import { deliveryOf, rawBodyOf, readField } from "../read-body.ts";
import { toResponse } from "../webhook-response.ts";
import { isFetchRequest, rejectHost } from "../wrong-host.ts";
import { assertHandler } from "./assert-handler.ts";

/** The part of a Hono context that the adapter uses. */
export interface HonoContext {
	readonly req: {
		readonly raw: Request;
		arrayBuffer(): Promise<ArrayBuffer>;
	};
	/** The bindings of the platform. */
	readonly env?: unknown;
	/** The context of Workers. Where there is none, Hono throws for it. */
	readonly executionCtx?: unknown;
}

const HINT =
	"the body was read before this route, with c.req.raw, c.req.parseBody(), c.req.formData(), or with c.req.json() of a Hono before 4.8.4: read it with c.req.arrayBuffer(), which keeps it, or after this route";

/**
 * Turns your webhook handler into a route of Hono. Your middleware may read the body before it with `c.req.text()`, and
 * from Hono 4.8.4 on with `c.req.json()`.
 *
 * @example
 * ```ts
 * app.all("/webhooks", toHono(webhooks));
 * ```
 * @throws ConfigurationError if `webhooks` is not a webhook handler.
 */
export function toHono(
	webhooks: WebhookHandler,
): (context: HonoContext, next?: unknown) => Promise<Response> {
	assertHandler("toHono", webhooks);
	return async (context, next) => {
		const req = readField(() => context.req);
		if (!isFetchRequest(req?.raw)) {
			return toResponse(await rejectHost(webhooks.handle, "toHono", context, next));
		}
		const { env } = context;
		const platform = [env, readField(() => context.executionCtx)];
		const body = readField(() => rawBodyOf(req.raw)) ?? (await readKeptBody(req));
		return toResponse(await webhooks.handle(deliveryOf(req.raw, { platform, body, hint: HINT })));
	};
}

/** The bytes of a body that was read through Hono's own methods. What was parsed Hono would write again, as other bytes. */
async function readKeptBody(req: HonoContext["req"]): Promise<ArrayBuffer | undefined> {
	try {
		const kept = Object.keys(Object(Reflect.get(req, "bodyCache")));
		return kept.includes("json") || kept.includes("formData") ? undefined : await req.arrayBuffer();
	} catch {
		return undefined;
	}
}
