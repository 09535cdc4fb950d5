import * as z from "zod/mini";
import { agentPhoneNumber } from "./input-fields.ts";
import { type OperationDocs, operation } from "./operation.ts";
import { receivedMilliseconds, schemaOf } from "./schema.ts";

/** Selects the queue to report. */
export interface QueueStatusInput {
	/** Reports only this agent's queue. */
	agentNumber?: string | undefined;
}

/** One agent's share of the queue. */
export interface AgentQueue {
	/** The agent's number. */
	agentNumber: string;
	/** How many sends wait. */
	pending: number;
	/** How many sends are under way. */
	processing: number;
	/** How many sends failed. */
	failed: number;
}

/** How many sends wait, are under way, or failed. */
export interface QueueStatus {
	/** How many sends wait. */
	pending: number;
	/** How many sends are under way. */
	processing: number;
	/** How many sends failed. */
	failed: number;
	/** How long the oldest pending send has waited, in milliseconds, or `null` if none is pending. */
	oldestPendingAgeMs: number | null;
	/** The counts by agent. */
	agents: AgentQueue[];
}

const counts = { pending: z.number(), processing: z.number(), failed: z.number() };

export const getQueueStatus = operation({
	id: "queue.getStatus",
	method: "GET",
	path: "/queue/status",
	retry: "safe",
	input: schemaOf<QueueStatusInput>("QueueStatusInput")(
		z.strictObject({ agentNumber: z.optional(agentPhoneNumber) }),
	),
	data: schemaOf<QueueStatus>("QueueStatus")(
		z.looseObject({
			...counts,
			oldestPendingAgeMs: z.nullable(receivedMilliseconds),
			agents: z.array(
				schemaOf<AgentQueue>("AgentQueue")(z.looseObject({ agentNumber: z.string(), ...counts })),
			),
		}),
	),
});

export const queueDocs = {
	"queue.getStatus": { summary: "How many send jobs wait, are being sent, or failed." },
} satisfies Record<string, OperationDocs>;
