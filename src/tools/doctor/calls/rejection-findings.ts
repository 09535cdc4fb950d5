import { shownGatewayCode } from "../../../library/errors.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import type { Responded } from "./probe.ts";
import type { RejectionReason } from "./reasons.ts";
import { describeProbeResponse } from "./response-findings.ts";

/** What else is known about rejections. */
interface Context {
	/** How many forms were tried, the client's own among them. */
	readonly forms: number;
	/** Whether any response has shown the gateway's clock. */
	readonly isClockKnown: boolean;
	/** Whether the health calls got a healthy gateway's response. */
	readonly isHealthy: boolean;
}

/** What may be shown of a rejection, as sentences to append: its own message may quote what was sent. */
function quote({ read }: Responded): string {
	if (read.error === undefined) return " The response has no error envelope.";
	const code = shownGatewayCode(read.error.code);
	const codeSentence = code === undefined ? "" : ` The gateway's code is ${code}.`;
	return `${codeSentence} Its message is gatewayMessage of the error of any signed call.`;
}

/** Every signed call gets the response of a wrong signature, for an unknown reason. */
export function describeRejections(
	ending: Responded,
	{ forms, isClockKnown, isHealthy }: Context,
): DiagnosisFinding {
	const { status } = ending.read;
	const tried =
		forms > 1 ? `, in each of ${forms} signing forms` : " in the only signing form that could be tried";
	const causes = [
		"the app id or the secret is wrong",
		"the gateway uses another signing form",
		...(isClockKnown ? [] : ["our clock is off, which no response shows"]),
		"something on the way changes the request",
		...(status === 403
			? ["the app may not read mappings", "something in front of the gateway denies access"]
			: []),
		...(status === 401 || status === 403
			? []
			: ["the gateway doesn't check signatures and rejects this request"]),
		...(status === 404
			? ["the path doesn't exist and baseUrl is wrong"]
			: isHealthy
				? []
				: ["baseUrl is wrong"]),
	];
	const comparison = status === 401 ? "" : ", with our signature and with a wrong one";
	const result = `${describeProbeResponse(ending)}${comparison}`;
	return {
		cause: status === 404 ? "signature_not_checked" : "credentials_or_dialect",
		certainty: "likely",
		isBlocking: true,
		message: `${result}. No signed call was accepted${tried}: ${list(causes)}. The responses don't show which.${quote(ending)}`,
		fix: "Copy the app id and the App Secret again from the account that belongs to this baseUrl; the webhook secret is a different one. If they are correct, ask for the gateway's string to sign for one request, and compare it with stringToSign of signRequest.",
	};
}

function list(causes: readonly string[]): string {
	return `${causes.slice(0, -1).join(", ")}, or ${causes.at(-1)}`;
}

/** What a rejection names as its reason, if that says more than that the signature is wrong. */
export function describeNamedReason(
	reason: RejectionReason | undefined,
	ending: Responded,
	context: Context,
): DiagnosisFinding | undefined {
	if (reason === undefined || reason === "signature") return undefined;
	const { cause, message, fix } = describeReasons(context)[reason];
	return { cause, certainty: "likely", isBlocking: true, message: `${message}${quote(ending)}`, fix };
}

function describeReasons({
	isClockKnown,
	forms,
}: Context): Record<
	Exclude<RejectionReason, "signature">,
	Pick<DiagnosisFinding, "cause" | "message" | "fix">
> {
	const units = forms > 1 ? ", in milliseconds and in seconds," : "";
	return {
		timestamp: {
			cause: "timestamp_rejected",
			message: `The gateway rejects the timestamp${units} ${isClockKnown ? "though it agrees with the time in its responses" : "and no response shows its clock"}.`,
			fix: isClockKnown
				? "Ask the gateway's operator which form of X-Timestamp it accepts, and to compare its clock with that of the proxy in front of it, which may set Date."
				: "Set this machine's clock by NTP; in a browser, let the gateway expose Date, by which the client corrects its clock.",
		},
		nonce: {
			cause: "nonce_rejected",
			message:
				"The gateway names the nonce as its reason, though it is a UUID (section 5.1) that was never used before.",
			fix: "Look for something that sends each request twice, such as a proxy that retries or mirrors requests, and ask which form of nonce the gateway accepts.",
		},
		header: {
			cause: "header_dropped",
			message: "The gateway reports that a header is missing, though it was sent.",
			fix: "Find the proxy in between, and let it forward Authorization, X-App-Id, X-Timestamp and X-Nonce unchanged; without one, ask which headers the gateway expects.",
		},
		app_id: {
			cause: "app_id_unknown",
			message: "Signed calls are rejected, and the gateway names the app id as the reason.",
			fix: "Copy the app id again from the account that belongs to this baseUrl; check that it isn't from another environment, and that the id and the secret aren't swapped.",
		},
	};
}

/** The user's signer repeats a nonce. */
export const NONCE_REPEATED: DiagnosisFinding = {
	cause: "nonce_repeated",
	certainty: "certain",
	isBlocking: true,
	message: "Your signer returned the same nonce for two requests: the gateway rejects the second one.",
	fix: "Leave nonce out of what your signer returns, or make it a new random UUID for each request.",
};

/** A correct signature gets 403. */
export const NOT_PERMITTED: DiagnosisFinding = {
	cause: "not_permitted",
	certainty: "certain",
	isBlocking: true,
	message:
		"The signature is correct, since a wrong one gets another response, but the gateway forbids this app to read mappings.",
	fix: "Ask who runs the gateway what this app may do, and whether it is blocked.",
};

/** A wrong signature gets data. */
export const NOT_CHECKED: DiagnosisFinding = {
	cause: "signature_not_checked",
	certainty: "certain",
	isBlocking: false,
	message: "A wrong signature got data: signatures aren't checked, so the signing can't be tested here.",
	fix: "That is fine for a stub, but not for a gateway that others can reach. Compare baseUrl with that of the account.",
};
