import { webhooks } from "../../webhooks";

export const fallback = webhooks.fetch;
