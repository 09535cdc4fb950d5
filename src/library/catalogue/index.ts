import {
	assignAgent,
	blockAgent,
	getAgent,
	listAgents,
	reassignAgent,
	registerAgent,
	unblockAgent,
} from "./agents.ts";
import { getNumberStats, listContacts, listMessages } from "./analytics.ts";
import { checkHealth } from "./health.ts";
import {
	createMapping,
	deleteMapping,
	getMapping,
	listMappings,
	resetMapping,
	updateMapping,
} from "./mappings.ts";
import { checkCapability, getMessage, markRead, tapback, typing } from "./messages.ts";
import type { Operation } from "./operation.ts";
import { getQueueStatus } from "./queue.ts";
import { sendAttachments, sendText, sendVoiceNote } from "./sends.ts";
import { getWebhooks, setWebhooks } from "./settings.ts";

/** Every operation of the gateway. */
export const OPERATIONS = [
	sendText,
	sendAttachments,
	sendVoiceNote,
	tapback,
	typing,
	markRead,
	checkCapability,
	getMessage,
	registerAgent,
	listAgents,
	getAgent,
	assignAgent,
	reassignAgent,
	blockAgent,
	unblockAgent,
	getMapping,
	listMappings,
	createMapping,
	updateMapping,
	resetMapping,
	deleteMapping,
	setWebhooks,
	getWebhooks,
	listMessages,
	listContacts,
	getNumberStats,
	getQueueStatus,
	checkHealth,
] as const satisfies readonly Operation<unknown, unknown>[];

/** The id of an operation of the catalogue. */
export type OperationId = (typeof OPERATIONS)[number]["id"];

/** The operation with this id. */
export type OperationById<Id extends OperationId> = Extract<(typeof OPERATIONS)[number], { readonly id: Id }>;
