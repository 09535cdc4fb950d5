/**
 * Turns your webhook handler into a route of Hono.
 *
 * See [Webhooks in your framework](../../../../docs/frameworks/hono.md).
 * @module messaging-gateway/webhooks/hono
 */
export { type HonoContext, toHono } from "../../webhooks/adapters/to-hono.ts";
