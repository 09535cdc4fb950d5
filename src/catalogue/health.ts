import * as z from "zod/mini";
import { noInput } from "./input-fields.ts";
import { documented, operation } from "./operation.ts";

export const checkHealth = operation({
	id: "health.check",
	summary:
		"Whether the gateway is up; unsigned. The response is returned unchanged, but a web page is an error.",
	method: "GET",
	path: "/health",
	provenance: documented("4.3"),
	retry: "safe",
	input: noInput,
	data: z.unknown(),
	isDataDocumented: false,
	isSigned: false,
	hasEnvelope: false,
});
