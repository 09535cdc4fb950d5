import { Buffer } from "node:buffer";
import {
	type CapturedFailure,
	type CapturedRejection,
	readCapture,
} from "../../library/webhooks/capture/capture.ts";
import { usageError } from "./failure.ts";
import { readSecret } from "./gateway-options.ts";

const KEY_VARIABLE = "MESSAGING_GATEWAY_CAPTURE_KEY";

/** The flag that names the key of a captured file. */
export const KEY_FLAG = {
	"--key-file <file>": `a file with the key of the application that wrote it (${KEY_VARIABLE})`,
} as const;

/** Whether a file begins as those of `captureFailures` do, and no header does. */
export function isCaptureFile(file: Uint8Array): boolean {
	return Buffer.from(file.subarray(0, 7)).toString("latin1") === "MGCAPT\0";
}

/**
 * Decrypts a file of `captureFailures`.
 * @throws CommandFailure without a key.
 */
export async function readCaptureFile(
	file: Uint8Array,
	keyFile: string | undefined,
): Promise<CapturedFailure | CapturedRejection> {
	const key = await readSecret(KEY_VARIABLE, keyFile);
	if (key === undefined) throw usageError("the key is missing", `Set ${KEY_VARIABLE}, or give --key-file.`);
	return readCapture(file, key);
}
