/** What checks payloads, as one file of the build: each file costs the start of a process about a millisecond. */
export { createWebhookHandler } from "./create-webhook-handler.ts";
export { verifyWebhook } from "./verify-webhook.ts";
