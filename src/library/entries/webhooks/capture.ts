/**
 * Keeps the deliveries that your webhook handler could not process, encrypted, to replay them elsewhere.
 *
 * See [Save and replay a failed delivery](../../../../docs/captures.md).
 * @module messaging-gateway/webhooks/capture
 */
export { ConfigurationError, MessagingGatewayError } from "../../errors.ts";
export type { Clock } from "../../runtime.ts";
export { type CapturedFailure, type CapturedRejection, readCapture } from "../../webhooks/capture/capture.ts";
export { CaptureError, type CaptureErrorCode } from "../../webhooks/capture/capture-error.ts";
export {
	type CaptureOptions,
	captureFailures,
	type FailureCaptures,
	type WorkerRun,
} from "../../webhooks/capture/capture-failures.ts";
