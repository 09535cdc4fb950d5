import {
	memoryNonceStore,
	type NonceStore,
	type RequestVerificationError,
	type SigningProfile,
	verifyRequest,
} from "messaging-gateway/signing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { APP_SECRET, NONCE, SIGNED_AT, signedRequest } from "../../../support/signed-request.ts";

/** What was done since the test began, in order. */
const work = vi.hoisted((): string[] => []);

vi.mock(import("../../../../src/library/signing/hash.ts"), async (importOriginal) => {
	const original = await importOriginal();
	return {
		...original,
		sha256Hex(message) {
			work.push("hash");
			return original.sha256Hex(message);
		},
		hmacKeyOf(secret, toError) {
			const key = original.hmacKeyOf(secret, toError);
			return {
				...key,
				sign(...parts) {
					work.push("hmac");
					return key.sign(...parts);
				},
			};
		},
	};
});

vi.mock(import("../../../../src/library/signing/dialect.ts"), async (importOriginal) => {
	const original = await importOriginal();
	return {
		...original,
		bodyBytes(...body) {
			work.push("canonicalize");
			return original.bodyBytes(...body);
		},
	};
});

/** The body of the last request. */
let received = "";

beforeEach(() => {
	work.length = 0;
	const { parse } = JSON;
	vi.spyOn(JSON, "parse").mockImplementation((text) => {
		// Others parse too, such as what reads source maps.
		if (text === received) work.push("parse");
		return parse(text);
	});
});

afterEach(() => {
	vi.restoreAllMocks();
});

/** What differs from a request that is right, and from a gateway that has not seen its nonce. */
interface Arrival {
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
	readonly signing?: SigningProfile;
	readonly maxBodyBytes?: number;
	readonly isKnown?: boolean;
	readonly nonceStore?: (noting: Required<NonceStore>) => NonceStore;
}

/** What was done, in order, and what came of it. */
async function workOf({ headers = {}, body = '{"a":1}', ...options }: Arrival): Promise<string> {
	const { signing, maxBodyBytes, isKnown = false, nonceStore = (noting) => noting } = options;
	received = body;
	const noting: Required<NonceStore> = {
		async has() {
			work.push("has");
			return isKnown;
		},
		async remember() {
			work.push("remember");
			return !isKnown;
		},
	};
	const secretFor = (appId: string) => {
		work.push("secretFor");
		return appId === "app-1" ? APP_SECRET : undefined;
	};
	const verifying = verifyRequest(signedRequest({ body, headers }), {
		secretFor,
		nonceStore: nonceStore(noting),
		clock: fixedClock(SIGNED_AT),
		maxBodyBytes,
		profile: { signing },
	});
	const outcome = await verifying.then(
		() => "accepted",
		({ status, code }: RequestVerificationError) => `${status} ${code}`,
	);
	return [...work, outcome].join(", ");
}

const otherSignature = { Authorization: `HMAC ${"0".repeat(64)}` };
const withoutHas = ({ remember }: NonceStore): NonceStore => ({ remember });
/** An array of so many brackets and commas. */
const structured = (count: number) => `[${"0,".repeat(count - 2)}0]`;

/** From what is cheap to what is dear. */
const WORK: Outcomes<Arrival> = {
	"secretFor, has, parse, canonicalize, hash, hmac, remember, accepted": { "a right request": {} },
	"secretFor, parse, canonicalize, hash, hmac, remember, accepted": {
		"a store without has": { nonceStore: withoutHas },
	},
	"401 missing_header": { "no nonce": { headers: { "X-Nonce": "" } } },
	"401 malformed_header": {
		"a signature in upper case": { headers: { Authorization: `HMAC ${"A".repeat(64)}` } },
	},
	"secretFor, 401 unknown_app_id": { "another app": { headers: { "X-App-Id": "app-2" } } },
	"secretFor, 401 timestamp_out_of_range": {
		"an old timestamp": { headers: { "X-Timestamp": String(SIGNED_AT - 300_001) } },
	},
	"secretFor, 503 nonce_store_unavailable": {
		"a store whose has fails": {
			nonceStore: (noting) => ({ ...noting, has: () => Promise.reject(new Error("connection lost")) }),
		},
	},
	"secretFor, has, 401 nonce_replayed": {
		"a nonce that is known": { isKnown: true },
		"a nonce that is known, in upper case": { isKnown: true, headers: { "X-Nonce": NONCE.toUpperCase() } },
		"a nonce that is known, with a wrong signature": { isKnown: true, headers: otherSignature },
	},
	"secretFor, has, 413 body_too_large": {
		"a byte too many": { maxBodyBytes: 6 },
		"a comma too many": { body: structured(100_001) },
		"a comma too many, in insertion order": { body: structured(100_001), signing: { canonicalBody: "json" } },
		"a comma too many, for a function": {
			body: structured(100_001),
			signing: { canonicalBody: JSON.stringify },
		},
	},
	"secretFor, has, parse, canonicalize, hash, hmac, 401 signature_mismatch": {
		"a wrong signature, whose nonce is not remembered": { headers: otherSignature },
	},
	"secretFor, parse, canonicalize, hash, hmac, remember, 401 nonce_replayed": {
		"a nonce that is known to a store without has": { isKnown: true, nonceStore: withoutHas },
	},
};

testOutcomes(WORK, workOf);

test("the store in memory knows a replay before the body is read", async () => {
	const clock = fixedClock(SIGNED_AT);
	const store = memoryNonceStore({ clock });
	expect(await workOf({ nonceStore: () => store })).toMatch(/accepted$/);
	work.length = 0;
	expect(await workOf({ nonceStore: () => store })).toBe("secretFor, 401 nonce_replayed");
});
