import { webhooks } from "../webhooks";

export const ALL = webhooks.fetch;
