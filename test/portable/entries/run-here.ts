import * as client from "messaging-gateway";
import * as doctor from "messaging-gateway/doctor";
import * as signing from "messaging-gateway/signing";
import * as testing from "messaging-gateway/testing";
import * as webhooks from "messaging-gateway/webhooks";
import type { Given, RuntimeTraits } from "../portable-case.ts";
import { type CaseResult, runSuite } from "../suite.ts";

/** What is written into the code when it is built. */
declare const WRITTEN: Pick<Given, "vectors" | "servers" | "caseLimitMs">;

/** The vectors, the servers' addresses and the limit of each case. */
export const GIVEN = WRITTEN;

/** Runs the suite on the package as this runtime loads it. */
export function runHere(traits: RuntimeTraits): Promise<CaseResult[]> {
	return runSuite({ client, doctor, signing, testing, webhooks }, { ...GIVEN, ...traits });
}
