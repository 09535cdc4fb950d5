/**
 * What checks payloads and explains failures, as one file of the build: each file costs the start of a process about a
 * millisecond. It is in this room because the doctor may import the webhooks, and not the reverse.
 */
export { createWebhookHandler } from "../../webhooks/create-webhook-handler.ts";
export { verifyWebhook } from "../../webhooks/verify-webhook.ts";
export { explainWebhookFailure } from "./explain-webhook-failure.ts";
