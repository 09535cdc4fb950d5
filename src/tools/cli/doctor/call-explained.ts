import { MessagingGateway } from "#client";
import { isMessagingGatewayError } from "../../../library/errors.ts";
import { DiagnosedFailure, DOCTOR_HINT } from "../failure.ts";
import { type GatewayOptions, readAccess } from "../gateway-options.ts";
import { examine } from "./examine.ts";

/** How long a failed call waits for the doctor. */
const TIMEOUT_MS = 10_000;

/**
 * Makes a call to the gateway that the options name.
 * @throws DiagnosedFailure with what the doctor finds, if it can explain the failure.
 */
export async function callExplained<Result>(
	options: GatewayOptions,
	call: (gateway: MessagingGateway) => PromiseLike<Result>,
): Promise<Result> {
	const access = await readAccess(options);
	try {
		return await call(new MessagingGateway(access));
	} catch (error) {
		if (!isMessagingGatewayError(error) || !error.message.endsWith(DOCTOR_HINT)) throw error;
		const { findings } = await examine(access, { timeoutMs: TIMEOUT_MS });
		const finding = findings.find(({ isBlocking }) => isBlocking);
		if (finding === undefined) throw error;
		throw new DiagnosedFailure(error, `${finding.message} ${finding.fix}`);
	}
}
