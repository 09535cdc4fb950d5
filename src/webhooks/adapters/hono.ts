export { type HonoContext, toHono } from "./to-hono.ts";
