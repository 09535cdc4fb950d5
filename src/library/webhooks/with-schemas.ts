/** Bundled into one file of the build, because each file delays the start of a process by about a millisecond. */
export { createWebhookHandler } from "./create-webhook-handler.ts";
export { verifyWebhook } from "./verify-webhook.ts";
