import { createFileRoute } from "@tanstack/react-router";
import { webhooks } from "../webhooks";

export const Route = createFileRoute("/webhooks")({
	server: { handlers: { ANY: webhooks.fetch } },
});
