/**
 * Finds out why your calls fail, and why a delivery was rejected.
 *
 * See [the doctor](../../../docs/doctor.md) and [webhooks](../../../docs/webhooks.md).
 * @module messaging-gateway/doctor
 */
export type { DiagnosisCause } from "../doctor/calls/causes.ts";
export { diagnose } from "../doctor/calls/diagnose.ts";
export type {
	DiagnoseOptions,
	Diagnosis,
	DiagnosisCheck,
	DiagnosisFinding,
	DiagnosisProbe,
	ProbeOutcome,
	SigningChoices,
} from "../doctor/calls/diagnosis.ts";
export {
	type ExplainWebhookOptions,
	explainWebhookFailure,
	type RejectedDelivery,
} from "../doctor/webhooks/explain-webhook-failure.ts";
export type { CheckedParts, Explanation, FailureCause, Finding } from "../doctor/webhooks/explanation.ts";
