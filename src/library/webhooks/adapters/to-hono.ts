import type { WebhookHandler } from "../create-webhook-handler.ts";
import { rawBodyOf, readField } from "../read-body.ts";
import { toResponse } from "../webhook-response.ts";
import { assertHandler } from "./assert-handler.ts";

/** The part of a context of Hono that is used. */
export interface HonoContext {
	readonly req: {
		readonly raw: Request;
		arrayBuffer(): Promise<ArrayBuffer>;
	};
	/** The bindings of the platform. */
	readonly env?: unknown;
	/** The context of Workers; where there is none, Hono throws for it. */
	readonly executionCtx?: unknown;
}

const HINT =
	"the body was read with c.req.raw before this route: read it with c.req, which keeps it, or after this route";

/**
 * Makes a route of Hono. A middleware may have read the body before, as long as it did so with `c.req`.
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
	return async (context) => {
		const { req, env } = context;
		const { method, url, headers } = req.raw;
		const platform = [env, readField(() => context.executionCtx)];
		// Hono keeps a body that was read through its own methods.
		const body = rawBodyOf(req.raw) ?? (await (async () => req.arrayBuffer())().catch(() => undefined));
		return toResponse(await webhooks.handle({ method, url, headers, platform, body, hint: HINT }));
	};
}
