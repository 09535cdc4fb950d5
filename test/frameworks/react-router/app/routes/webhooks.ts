import { webhooks } from "../webhooks";

export const action = webhooks.fetch;
