import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { OPERATIONS } from "../../../library/catalogue/index.ts";
import type { Profile } from "../../../library/catalogue/profile.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { discoverDocument, usualAddresses } from "../../adopt/discovery/discover-document.ts";
import { type DocumentRoute, readRoutes } from "../../adopt/document/read-routes.ts";
import type { PlannedOperation } from "../../adopt/plan/plan-types.ts";
import { RequestBudget } from "../../adopt/proof/request-budget.ts";
import { READ_STEPS } from "../../adopt/proof/steps.ts";
import { Trial } from "../../adopt/proof/trial.ts";
import { TrialClient } from "../../adopt/proof/trial-client.ts";
import type { Diagnosis } from "../../doctor/calls/diagnosis.ts";
import { PROBE_AGENT } from "../../probe-agent.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { examine } from "../doctor/examine.ts";
import { EXIT } from "../failure.ts";
import { type GatewayOptions, parseGivenJson, readAccess } from "../gateway-options.ts";
import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";
import { inOurWords } from "../words.ts";
import { createFetcher, summarize } from "./find-document.ts";
import { proofFileOf } from "./profile-files.ts";

interface CheckFlags extends Omit<GatewayOptions, "profile"> {
	readonly openapi?: string | undefined;
	readonly probeBody?: boolean | undefined;
	readonly probeNumber?: string | undefined;
}

/** How one thing compares with the profile. */
interface Comparison {
	readonly what: string;
	readonly verdict: "same" | "differs" | "unseen";
	readonly detail: string;
}

const STYLES = { same: "green", differs: "red", unseen: "yellow" } as const;
const MAX_REQUESTS = 60;

/** Compares a gateway with a profile, without a send. Resolves to the exit code. */
export async function checkProfile(terminal: Terminal, file: string, flags: CheckFlags): Promise<number> {
	const access = await readAccess({ ...flags, profile: file });
	const { profile = {} } = access;
	const proofs = readProofs(file);
	// It only reads, also on this machine.
	const { probeBody = false, probeNumber } = flags;
	const diagnosis = await examine(access, { probeBody, probeNumber, fetch: toolFetch });
	const checked: Comparison[] = [checkSigning(diagnosis)];
	const { document, routes } = await checkDocument(access.baseUrl, proofs);
	if (document !== undefined) checked.push(document);
	if (diagnosis.isHealthy !== false) {
		const budget = new RequestBudget({
			fetch: toolFetch,
			maxRequests: MAX_REQUESTS,
			sleep: (ms) => sleep(ms),
		});
		const trial = new Trial({
			plan: planOf(profile, proofs),
			routes,
			client: new TrialClient({ ...access, fetch: budget.fetch, headers: { "User-Agent": PROBE_AGENT } }),
			context: { to: undefined, probeNumber, text: "" },
			profileWith: () => ({ ...profile }),
			isCheck: true,
			sleep: (ms) => sleep(ms),
		});
		await trial.read();
		checked.push(...trial.plan.flatMap((planned) => checkOperation(planned, proofs, routes)));
	}
	terminal.show({ checked }, () => describe(terminal, file, checked));
	if (checked.some(({ verdict }) => verdict === "differs")) return EXIT.failed;
	return checked.some(({ verdict }) => verdict === "unseen") ? EXIT.untested : EXIT.done;
}

/** What stood beside the profile when it was written. */
interface Proofs {
	readonly sha256: unknown;
	readonly operations: Readonly<Record<string, unknown>>;
}

function readProofs(file: string): Proofs | undefined {
	const beside = proofFileOf(file);
	if (!existsSync(beside)) return undefined;
	const proofs = parseGivenJson(readFileSync(beside, "utf8"), beside);
	const { document, operations } = isJsonObject(proofs) ? proofs : {};
	return {
		sha256: isJsonObject(document) ? document["sha256"] : undefined,
		operations: isJsonObject(operations) ? operations : {},
	};
}

function checkSigning({ isHealthy, hasTestedBodies, findings, checks }: Diagnosis): Comparison {
	const finding = findings.find(({ isBlocking }) => isBlocking);
	if (isHealthy === false) {
		// A gateway that is down shows nothing of its signing.
		const isRejected = checks.some(({ probe, outcome }) => probe === "signed" && outcome === "rejected");
		const verdict = isRejected || finding?.cause === "other_signing_form" ? "differs" : "unseen";
		const detail = finding === undefined ? "calls fail" : `${finding.message} ${finding.fix}`;
		return { what: "signing", verdict, detail };
	}
	const detail = hasTestedBodies
		? "with and without a body"
		: "GETs alone; --probe-body also tries a body, which changes nothing";
	return { what: "signing", verdict: "same", detail };
}

async function checkDocument(
	baseUrl: string,
	proofs: Proofs | undefined,
): Promise<{ document: Comparison | undefined; routes: readonly DocumentRoute[] }> {
	if (proofs?.sha256 === undefined) return { document: undefined, routes: [] };
	const { parseYaml } = await import("#yaml");
	const found = await discoverDocument(usualAddresses(baseUrl), createFetcher(baseUrl), parseYaml);
	if (found === undefined) {
		const document: Comparison = { what: "document", verdict: "unseen", detail: "not where others have it" };
		return { document, routes: [] };
	}
	const routes = readRoutes(found.document);
	const isSame = summarize(found, routes).sha256 === proofs.sha256;
	const detail = isSame ? "not a byte differs" : "changed; what it says of the profile's routes stands below";
	return { document: { what: "document", verdict: "same", detail }, routes: isSame ? [] : routes };
}

/** The operations that the profile has, and those that were not open when it was written. */
function planOf({ operations = {} }: Profile, proofs: Proofs | undefined): PlannedOperation[] {
	return OPERATIONS.map((operation): PlannedOperation => {
		const { id } = operation;
		const profile = operations[id];
		const { method, path } = { ...operation, ...profile };
		const isPaged = profile?.map?.response === undefined || profile.map.response.next !== undefined;
		const isWanted = proofs === undefined || profile !== undefined || certaintyOf(proofs, id) !== "open";
		return {
			id,
			certainty: isWanted ? "likely" : "open",
			source: "flags",
			method,
			path,
			profile,
			questions: [],
			notes: [],
			paging: operation.pageItems !== undefined && isPaged ? "cursor" : undefined,
		};
	});
}

function certaintyOf({ operations }: Proofs, id: string): unknown {
	const proof = operations[id];
	return isJsonObject(proof) ? proof["certainty"] : "open";
}

/** What a read showed, or what a changed document says of a route that is not read. */
function checkOperation(
	{ id, certainty, method, path, questions, notes, proof, profile }: PlannedOperation,
	proofs: Proofs | undefined,
	routes: readonly DocumentRoute[],
): Comparison[] {
	const what = `${id.padEnd(25)} ${method} ${path}`;
	const [question] = questions;
	if (question !== undefined) return [{ what, verdict: "differs", detail: question.message }];
	if (proof !== undefined) return [{ what, verdict: "same", detail: proof }];
	const isRead = READ_STEPS.some(({ operation }) => operation === id) && method === "GET";
	// What was never seen is no news.
	const wasSeen = proofs === undefined || certaintyOf(proofs, id) === "certain";
	if (isRead && certainty !== "open" && wasSeen)
		return [{ what, verdict: "unseen", detail: notes.at(-1) ?? "" }];
	const shape = (template = ""): string => template.replace(/\{\w+\}/g, "{}");
	const isGone =
		profile !== undefined &&
		routes.length > 0 &&
		!routes.some((route) => route.method === method && shape(route.path).endsWith(shape(path)));
	return isGone ? [{ what, verdict: "differs", detail: "the document has no such route any more" }] : [];
}

function describe(terminal: Terminal, file: string, checked: readonly Comparison[]): string {
	const lines = checked.map(({ what, verdict, detail }) => {
		const shown = printable(inOurWords(detail));
		return `${terminal.paint(STYLES[verdict], verdict.toUpperCase().padEnd(7))}  ${printable(what)}   ${shown}`;
	});
	const count = (verdict: Comparison["verdict"]) => checked.filter((each) => each.verdict === verdict).length;
	const sums = `${count("same")} as in ${printable(file)}, ${count("differs")} differ, ${count("unseen")} unseen.`;
	const next =
		count("differs") === 0
			? "Nothing was sent and nothing was changed; sends aren't checked."
			: "`npx messaging-gateway adopt --force` writes the profile again.";
	return [...lines, "", `${sums} ${next}`].join("\n");
}
