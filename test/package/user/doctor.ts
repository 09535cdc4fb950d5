import { MessagingGateway } from "messaging-gateway";
import {
	type DiagnosisCause,
	diagnose,
	type Explanation,
	explainWebhookFailure,
} from "messaging-gateway/doctor";

/** What a health check of an application reports about its calls. */
export async function checkCalls(): Promise<DiagnosisCause[]> {
	const { isHealthy, findings } = await diagnose(new MessagingGateway());
	return isHealthy ? [] : findings.map(({ cause }) => cause);
}

/** Why a delivery that was saved to a file was rejected. */
export function explainDelivery(body: Uint8Array, headers: Headers): string[] {
	const { findings }: Explanation = explainWebhookFailure({ body, headers }, { secret: "secret" });
	return findings.map(({ certainty, message, fix }) => `${certainty}: ${message} ${fix}`);
}
