/** An activity of Temporal sends once. A workflow that is reset gets a new run, whose activities have new keys. */
import { ApplicationFailure, activityInfo } from "@temporalio/activity";
import { sendInStep } from "./step-sender.ts";

export async function notify(to: string, text: string): Promise<string> {
	const { workflowExecution, activityId } = activityInfo();
	return sendInStep(`${workflowExecution?.runId}:${activityId}`, { to, text }, (message, nextRetryDelay) =>
		ApplicationFailure.create({ message, nextRetryDelay }),
	);
}
