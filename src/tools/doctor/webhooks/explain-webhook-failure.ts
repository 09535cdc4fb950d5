import { WebhookVerificationError } from "../../../library/errors.ts";
import { readEvent } from "../../../library/webhooks/events.ts";
import type { HeadersInput } from "../../../library/webhooks/headers.ts";
import type { RawBody } from "../../../library/webhooks/read-body.ts";
import {
	arrivalOf,
	checkSignature,
	MAX_BOUND_TOLERANCE_SECONDS,
	type ReceivedAt,
	type VerifyWebhookOptions,
} from "../../../library/webhooks/verify-signature.ts";
import { describeSignedForm } from "./bodies/body-form.ts";
import { rawBytes, readAnyBody } from "./bodies/read-body.ts";
import { suspectBody } from "./bodies/suspect-body.ts";
import { findClockFaults, findToleranceFaults } from "./clock.ts";
import { readEnvelope, readOtherEnvelopes } from "./envelopes.ts";
import type { Explanation, Finding, Mistake } from "./explanation.ts";
import { readHeaderFields, signingHeaderNames, valuesOf } from "./header-fields.ts";
import { readKeys } from "./keys.ts";
import { findMatch } from "./search.ts";
import { findSecretFaults, readSecrets, suspectSecrets } from "./secrets.ts";

/** A rejected delivery, with its body in any form. */
export interface RejectedDelivery {
	/** The body that you passed to the verification, even if it was parsed. */
	body: unknown;
	/** The headers that you passed to the verification. */
	headers: HeadersInput;
	/** When it arrived, if you passed that to the verification. */
	receivedAt?: ReceivedAt | undefined;
}

/** The options of the verification, and secrets that the sender may have used by mistake. */
export interface ExplainWebhookOptions extends VerifyWebhookOptions {
	/** Other secrets by a name that you choose, e.g. of other environments. A finding shows the name. */
	otherSecrets?: Readonly<Record<string, string | Uint8Array>> | undefined;
	/**
	 * The App Secret, which signs requests and not deliveries. Pass the client's profile if it says how this is
	 * encoded.
	 */
	appSecret?: string | Uint8Array | undefined;
}

/**
 * Explains why a delivery is rejected, and how to fix it, by trying common mistakes. It is for a developer at a
 * terminal: synchronous, slower than the verification, and it logs nothing. It never throws, and its result holds no
 * secret, no signature and nothing of the payload. It computes up to 400 HMACs. For a signed body without an event it says what the
 * body is: compressed, in another charset, a form or a JSON array.
 *
 * @example
 * ```ts
 * const { findings } = explainWebhookFailure({ body, headers }, { secret, appSecret });
 * for (const { certainty, message, fix } of findings) console.log(`${certainty}: ${message} ${fix}`);
 * ```
 * @see Specification, section 6.1
 */
export function explainWebhookFailure(
	delivery: RejectedDelivery,
	options: ExplainWebhookOptions = {},
): Explanation {
	try {
		return explain(delivery, options);
	} catch {
		// A getter, a proxy or a clock that throws.
		return {
			isValid: false,
			code: undefined,
			findings: [UNREADABLE],
			checked: { headerNames: [], bodyBytes: undefined, hmacs: 0, skipped: [] },
		};
	}
}

function explain(delivery: RejectedDelivery, options: ExplainWebhookOptions): Explanation {
	const { isValid, code, isRightlySigned } = reachVerdict(delivery, options);
	const fields = readHeaderFields(delivery.headers);
	const checked = { headerNames: signingHeaderNames(fields), bodyBytes: rawBytes(delivery.body)?.length };
	if (isValid) {
		return { isValid, code, findings: [], checked: { ...checked, hmacs: 0, skipped: [] } };
	}

	const vendor = options.profile?.vendor;
	const secrets = readSecrets(options);
	const body = readAnyBody(delivery.body);
	const header = (name: string): string | undefined => valuesOf(fields, name)[0];
	const own = readEnvelope(fields, delivery.headers, vendor);
	const others = readOtherEnvelopes(fields, vendor);
	const { match, hmacs, isComplete } = findMatch({
		envelopes: [own, ...others],
		keys: readKeys(secrets),
		bodies: body.candidates,
	});

	const signed = isRightlySigned ? body.bytes : match?.body;
	const clockFaults = findClockFaults(
		match?.timestamp ?? own.timestamps[0] ?? "",
		arrivalOf(delivery.receivedAt, options.clock),
		options.toleranceSeconds,
	);
	const faults = [
		...findSecretFaults(secrets),
		...findToleranceFaults(options.toleranceSeconds),
		...(match?.envelope ?? own).faults,
		...body.faults,
		...(signed === undefined ? [] : describeSignedForm(signed, header("Content-Encoding"), isRightlySigned)),
		...(code === "decode_failed" ? [NOT_DECODED] : []),
	];
	const suspicions = [
		...others.flatMap(({ mistakes }) => mistakes),
		...suspectSecrets(secrets),
		...suspectBody(body.bytes, header),
		...clockFaults,
	];
	// A match proves its mistakes in more detail than the faults with the same cause.
	const unproven = faults.filter(({ cause }) => !match?.mistakes.some((mistake) => mistake.cause === cause));
	const findings =
		match === undefined
			? toFindings(faults, suspicions)
			: toFindings([...match.mistakes, ...clockFaults, ...unproven], []);
	const isExplained = findings.some(({ certainty }) => certainty === "certain");
	return {
		isValid,
		code,
		findings: isExplained ? findings : [...findings, UNEXPLAINED],
		checked: {
			...checked,
			hmacs,
			skipped: isComplete
				? body.skipped
				: [...body.skipped, `After ${hmacs} HMACs, further pairs of mistakes weren't tried.`],
		},
	};
}

/** The result of `verifyWebhook`. */
function reachVerdict(
	{ body, headers, receivedAt }: RejectedDelivery,
	options: VerifyWebhookOptions,
): Pick<Explanation, "isValid" | "code"> & { readonly isRightlySigned: boolean } {
	let isRightlySigned = false;
	try {
		// The verification itself rejects any other type of body.
		const raw = body as RawBody;
		const maxToleranceSeconds = MAX_BOUND_TOLERANCE_SECONDS;
		const signed = checkSignature({ body: raw, headers, receivedAt }, { ...options, maxToleranceSeconds });
		isRightlySigned = true;
		readEvent(signed, raw, options.profile);
		return { isValid: true, code: undefined, isRightlySigned };
	} catch (error) {
		const code = error instanceof WebhookVerificationError ? error.code : undefined;
		return { isValid: false, code, isRightlySigned };
	}
}

function toFindings(certain: readonly Mistake[], likely: readonly Mistake[]): Finding[] {
	const findings = [
		...certain.map((mistake) => ({ ...mistake, certainty: "certain" as const })),
		...likely.map((mistake) => ({ ...mistake, certainty: "likely" as const })),
	];
	return findings.filter(
		({ message }, at) => findings.findIndex((other) => other.message === message) === at,
	);
}

const UNEXPLAINED: Finding = {
	cause: "unexplained",
	certainty: "likely",
	message:
		"No other form of the body, the secret or the signed content gives the signature: either the secret wasn't given here, or the body's content was changed.",
	fix: "Copy the webhook secret from the account dashboard again, for the account and environment that sent this; then compare the body's length and SHA-256 at each hop.",
};

const NOT_DECODED: Mistake = {
	cause: "payload_not_decoded",
	message:
		"The signature is right, and profile.events.decode threw, or returned no object: the event wasn't acknowledged, and no handler got it.",
	fix: "Call your decoder with this payload in a test, and let it return what it doesn't know as it is.",
};

const UNREADABLE: Finding = {
	cause: "unexplained",
	certainty: "certain",
	message: "The delivery or the options couldn't be read.",
	fix: "Pass { body, headers } of the request, and the options that the verification got.",
};
