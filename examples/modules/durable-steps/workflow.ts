/** A step of Workflow sends once: it is run again when its process dies, and its id is the key of the send. */
import { getStepMetadata, RetryableError } from "workflow";
import { sendInStep } from "./step-sender.ts";

export async function shipOrder(order: string, phone: string): Promise<string> {
	"use workflow";
	return notify(phone, `Order ${order} is on its way.`);
}

async function notify(to: string, text: string): Promise<string> {
	"use step";
	const { stepId } = getStepMetadata();
	return sendInStep(
		stepId,
		{ to, text },
		(message, retryAfter) => new RetryableError(message, { retryAfter }),
	);
}
notify.maxRetries = 20;
