import * as z from "zod/mini";
import { noInput } from "./input-fields.ts";
import { type OperationDocs, operation } from "./operation.ts";

export const checkHealth = operation({
	id: "health.check",
	method: "GET",
	path: "/health",
	provenance: "documented",
	retry: "safe",
	input: noInput,
	data: z.unknown(),
	isDataDocumented: false,
	isSigned: false,
	hasEnvelope: false,
});

export const healthDocs = {
	"health.check": {
		summary:
			"Whether the gateway is up; unsigned. The response is returned unchanged, but a web page is an error.",
		section: "4.3",
	},
} satisfies Record<string, OperationDocs>;
