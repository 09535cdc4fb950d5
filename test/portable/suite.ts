import { canonicalJsonCases } from "./cases/canonical-json.ts";
import { clockSkewCases } from "./cases/clock-skew.ts";
import { errorsCases } from "./cases/errors.ts";
import { limitsCases } from "./cases/limits.ts";
import { platformFetchCases } from "./cases/platform-fetch.ts";
import { sendingCases } from "./cases/sending.ts";
import { assertSignature, changeLastDigit, signingCases } from "./cases/signing.ts";
import { webhookHandlerCases } from "./cases/webhook-handler.ts";
import { webhooksCases } from "./cases/webhooks.ts";
import type { Given, Library, PortableCase } from "./portable-case.ts";

/** What a case came to. */
export interface CaseResult {
	/** The topic and the case's own name. */
	readonly name: string;
	/** Why it failed; absent where it passed. */
	readonly failure?: string;
}

const TOPICS: Readonly<Record<string, readonly PortableCase[]>> = {
	"canonical JSON": canonicalJsonCases,
	signing: signingCases,
	sending: sendingCases,
	limits: limitsCases,
	errors: errorsCases,
	"clock skew": clockSkewCases,
	webhooks: webhooksCases,
	"webhook handler": webhookHandlerCases,
	"the runtime's fetch": platformFetchCases,
};

const CASES: readonly PortableCase[] = Object.entries(TOPICS).flatMap(([topic, cases]) =>
	cases.map((portableCase) => ({ ...portableCase, name: `${topic}: ${portableCase.name}` })),
);

/** It must fail in every runtime: where it passes, the others prove nothing. */
export const CANARY: PortableCase = {
	name: "a wrong vector",
	run({ signing }, { vectors }) {
		for (const vector of vectors.requests) {
			assertSignature(signing, { ...vector, authorization: changeLastDigit(vector.authorization) });
		}
	},
};

export const CASE_NAMES: readonly string[] = CASES.map(({ name }) => name);

/** Runs all cases one after the other, the canary at the end. */
export async function runSuite(library: Library, given: Given): Promise<CaseResult[]> {
	const results: CaseResult[] = [];
	for (const portableCase of [...CASES, CANARY]) results.push(await runCase(portableCase, library, given));
	return results;
}

async function runCase({ name, run }: PortableCase, library: Library, given: Given): Promise<CaseResult> {
	const { caseLimitMs } = given;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const isLate = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`it did not end within ${caseLimitMs} ms`)), caseLimitMs);
	});
	try {
		await Promise.race([run(library, given), isLate]);
		return { name };
	} catch (error) {
		return { name, failure: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
	} finally {
		clearTimeout(timer);
	}
}
