import { constantTimeEqual } from "../../../library/signing/bytes.ts";
import type { Candidate } from "./candidate.ts";
import type { Envelope } from "./envelopes.ts";
import type { Mistake } from "./explanation.ts";
import type { SigningKey } from "./keys.ts";
import { type SignedFrame, signedFrames } from "./signed-content.ts";

/** Enough for every single mistake, and for the likelier pairs. */
const MAX_HMACS = 400;
const MAX_HASHED_BYTES = 134_217_728;
const MAX_MISTAKES = 2;

/** The headers, keys and bodies that may have been signed with. */
export interface SearchSpace {
	readonly envelopes: readonly Envelope[];
	readonly keys: readonly Candidate<SigningKey>[];
	readonly bodies: readonly Candidate<Uint8Array>[];
}

/** The reading of a delivery under which its signature is right. */
export interface Match {
	readonly envelope: Envelope;
	readonly timestamp: string;
	/** The bytes that were signed. */
	readonly body: Uint8Array;
	/** What has to be undone for it; empty if the signature is right as given. */
	readonly mistakes: readonly Mistake[];
}

/** Looks for the fewest mistakes that explain the signature, within a bounded number of HMACs. */
export function findMatch(space: SearchSpace): {
	match: Match | undefined;
	hmacs: number;
	isComplete: boolean;
} {
	let hmacs = 0;
	let hashedBytes = 0;
	for (const { value, mistakes } of listSignatureInputs(space)) {
		const { envelope, timestamp, frame, key, body } = value;
		// The first input, the one as given, is always tried.
		if (hmacs === MAX_HMACS || (hmacs > 0 && hashedBytes + body.length > MAX_HASHED_BYTES)) {
			return { match: undefined, hmacs, isComplete: false };
		}
		hmacs++;
		hashedBytes += body.length;
		const expected = key.sign(frame.prefix, body, frame.suffix);
		// A truncated claim counts if its bytes are the first of the expected ones.
		const claim = envelope.claims.find((claimed) =>
			constantTimeEqual(claimed.value, expected.subarray(0, claimed.value.length)),
		);
		if (claim === undefined) continue;
		const match = { envelope, timestamp, body, mistakes: [...mistakes, ...claim.mistakes] };
		return { match, hmacs, isComplete: true };
	}
	return { match: undefined, hmacs, isComplete: true };
}

/** An envelope with one of its timestamps, and what was signed around the body. */
interface SignedEnvelope {
	readonly envelope: Envelope;
	readonly timestamp: string;
	readonly frame: SignedFrame;
}

/** What one HMAC is of. */
interface SignatureInput extends SignedEnvelope {
	readonly key: SigningKey;
	readonly body: Uint8Array;
}

/** Every input that the signature can be of, those with the fewest mistakes first. */
function* listSignatureInputs({
	envelopes,
	keys,
	bodies,
}: SearchSpace): Generator<Candidate<SignatureInput>> {
	const signed = envelopes.flatMap(listSignedEnvelopes);
	for (let count = 0; count <= MAX_MISTAKES; count++) {
		for (const { value, mistakes } of signed) {
			for (const key of keys) {
				const left = count - mistakes.length - key.mistakes.length;
				for (const body of bodies) {
					if (body.mistakes.length !== left) continue;
					yield {
						value: { ...value, key: key.value, body: body.value },
						mistakes: [...mistakes, ...key.mistakes, ...body.mistakes],
					};
				}
			}
		}
	}
}

function listSignedEnvelopes(envelope: Envelope): Candidate<SignedEnvelope>[] {
	if (envelope.claims.length === 0) return [];
	return envelope.timestamps.flatMap((timestamp) =>
		signedFrames(timestamp, envelope.eventId).map((frame) => ({
			value: { envelope, timestamp, frame: frame.value },
			mistakes: [...envelope.mistakes, ...frame.mistakes],
		})),
	);
}
