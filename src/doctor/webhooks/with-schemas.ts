/**
 * Bundled into one file of the build, because each file delays the start of a process by about a millisecond. It is in
 * this folder because the doctor may import the webhooks, and not the reverse.
 */
export { createWebhookHandler } from "../../webhooks/create-webhook-handler.ts";
export { verifyWebhook } from "../../webhooks/verify-webhook.ts";
export { explainWebhookFailure } from "./explain-webhook-failure.ts";
