import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Profile } from "../../../library/catalogue/profile.ts";
import { profileFromJson } from "../../../library/maps/profile-from-json.ts";
import { signRequest } from "../../../library/signing/sign-request.ts";
import {
	discoverDocument,
	type FoundDocument,
	usualAddresses,
} from "../../adopt/discovery/discover-document.ts";
import { type DocumentRoute, readRoutes } from "../../adopt/document/read-routes.ts";
import { checkDeliveries, type SavedDelivery } from "../../adopt/events/check-deliveries.ts";
import type { CheckedDelivery, EventHints, PlannedEvent } from "../../adopt/events/event-types.ts";
import { planEvents } from "../../adopt/events/plan-events.ts";
import { readEvents } from "../../adopt/events/read-events.ts";
import { planOperations } from "../../adopt/plan/plan-operations.ts";
import type { PlanHints, PlannedOperation } from "../../adopt/plan/plan-types.ts";
import { learnNonce, type NonceRejection } from "../../adopt/proof/learn-nonce.ts";
import { RequestBudget } from "../../adopt/proof/request-budget.ts";
import { type PlannedSend, rehearseSends, type SendReport, sendAll } from "../../adopt/proof/send.ts";
import { Trial } from "../../adopt/proof/trial.ts";
import { TrialClient } from "../../adopt/proof/trial-client.ts";
import type { Diagnosis } from "../../doctor/calls/diagnosis.ts";
import { PROBE_AGENT } from "../../probe-agent.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { examine } from "../doctor/examine.ts";
import type { Access } from "../gateway-options.ts";
import { composeProfile, type ProfileParts } from "./compose-profile.ts";
import {
	createFetcher,
	type DocumentSummary,
	pathOf,
	readGiven,
	summarize,
	unusedRoutes,
} from "./find-document.ts";

/** What `adopt` found. */
export interface Adoption {
	readonly diagnosis: Diagnosis;
	/** Whether the written profile signs as the gateway wants it. */
	readonly signing: "certain" | "likely" | "open";
	readonly nonce: NonceRejection | undefined;
	readonly document: DocumentSummary | undefined;
	/** What was not fetched or used, and why. */
	readonly left: readonly string[];
	readonly operations: readonly PlannedOperation[];
	/** What would be sent to the contact, or was; empty if the user does not agree. */
	readonly sends: readonly PlannedSend[];
	/** What the sends showed; `undefined` if nothing was sent. */
	readonly sent: SendReport | undefined;
	/** Empty if the document has none. */
	readonly events: readonly PlannedEvent[];
	/** What the saved deliveries become. */
	readonly deliveries: readonly CheckedDelivery[];
	/** Routes of the document that no operation uses. */
	readonly unused: readonly string[];
	/** As JSON, to be written. */
	readonly profile: Readonly<Record<string, unknown>>;
	readonly requests: number;
}

interface AdoptOptions {
	readonly hints: PlanHints;
	readonly eventHints: EventHints;
	readonly saved: readonly SavedDelivery[];
	/** A document in a file; without it, the gateway is asked. */
	readonly openapi: string | undefined;
	readonly probeBody: boolean;
	readonly probeNumber: string | undefined;
	/** The contact who gets one message of each kind. */
	readonly to: string | undefined;
	/** Whether the user agrees to these sends. */
	readonly confirm: (sends: readonly PlannedSend[]) => Promise<boolean>;
	/** Called before each step that takes its time. */
	readonly onStep: (what: string) => void;
}

/** The most requests of all steps together. */
const MAX_REQUESTS = 150;

/** The contact in the list of what would be sent, if none is given: a number reserved for fiction. */
const NOBODY = "+15555550100";

/**
 * Finds out how a gateway signs, what its document says, and which of it works. It makes GETs, and what the doctor makes;
 * nothing is sent before the user agrees.
 */
export async function adoptGateway(access: Access, options: AdoptOptions): Promise<Adoption> {
	const { parseYaml } = await import("#yaml");
	const { hints, probeBody, probeNumber, to, onStep } = options;
	const { maps, from } = hints;
	// What the user wrote is checked before anything is requested.
	profileFromJson({ operations: maps, ...(from !== undefined && { defaults: { from } }) });
	const { baseUrl } = access;
	const given = options.openapi === undefined ? undefined : await readGiven(options.openapi, parseYaml);
	onStep("looking for the document");
	const first = createFetcher(baseUrl);
	let found = given ?? (await discoverDocument(usualAddresses(baseUrl), first, parseYaml));
	let plan = planFrom(found, baseUrl, hints);
	onStep("finding out how requests are signed");
	const profile = profileFromJson({ operations: prefixesOf(plan) });
	let diagnosis = await examine({ ...access, profile }, { probeBody, probeNumber, fetch: toolFetch });
	let requests = first.requests + diagnosis.checks.length;
	let left = [...first.left];
	const sign = signerOf(access, diagnosis);
	if (found === undefined && diagnosis.signing !== undefined && first.locked.size > 0) {
		const second = createFetcher(baseUrl, { sign, maxRequests: Math.max(0, MAX_REQUESTS - requests) });
		found = await discoverDocument([...first.locked], second, parseYaml);
		plan = planFrom(found, baseUrl, hints);
		requests += second.requests;
		left = [...left, ...second.left];
	}
	const routes = found === undefined ? [] : readRoutes(found.document);
	const budget = new RequestBudget({
		fetch: toolFetch,
		maxRequests: MAX_REQUESTS - requests,
		sleep: (ms) => sleep(ms),
	});
	const isCallable = mayBeCalled(diagnosis);
	const isSigned = isCallable && diagnosis.signing !== undefined;
	const nonce = isSigned ? await probeNonce(plan, baseUrl, sign, budget) : undefined;
	let parts: ProfileParts = { signing: diagnosis.signing, from, usedNonce: nonce?.usedNonce };
	const trial = new Trial({
		plan,
		routes,
		client: new TrialClient({ ...access, fetch: budget.fetch, headers: { "User-Agent": PROBE_AGENT } }),
		context: { to, probeNumber, text: `Test ${randomBytes(2).toString("hex")} of messaging-gateway` },
		profileWith: (operations, learned) => composeProfile({ ...parts, ...learned }, operations),
		isCheck: false,
		sleep: (ms) => sleep(ms),
	});
	let sends: readonly PlannedSend[] = [];
	let sent: SendReport | undefined;
	if (isCallable) {
		onStep("reading");
		trial.proveSettings(judgeSigning(diagnosis) === "certain");
		await trial.read();
		// Bodies whose form JSON cannot hold would be rejected.
		if (!needsFunction(diagnosis)) sends = await rehearseSends(trial, to ?? NOBODY);
		const isAgreed = to !== undefined && sends.length > 0 && (await options.confirm(sends));
		if (to !== undefined && !isAgreed) sends = [];
		if (isAgreed) {
			onStep("sending");
			if (!probeBody) {
				// The user agreed to what changes more than unknown fields do.
				diagnosis = await examine({ ...access, profile }, { probeBody: true, probeNumber, fetch: toolFetch });
				requests += diagnosis.checks.length;
				parts = { ...parts, signing: diagnosis.signing };
				trial.proveSettings(judgeSigning(diagnosis) === "certain");
			}
			if (mayBeCalled(diagnosis) && !needsFunction(diagnosis)) {
				sent = await sendAll(trial, sends);
				parts = { ...parts, duplicates: sent.duplicates };
				await trial.readAgain();
			}
		}
	}
	const written = readEvents(found?.document);
	const { saved, eventHints } = options;
	const planned = planEvents(written, eventHints);
	const { events, deliveries } = checkDeliveries(written, planned, { saved, hints: eventHints });
	return {
		diagnosis,
		signing: judgeSigning(diagnosis),
		nonce,
		document: found && summarize(found, routes),
		left: [...new Set(left)],
		operations: trial.plan,
		events,
		deliveries,
		sends,
		sent,
		unused: unusedRoutes(routes, trial.plan, baseUrl),
		profile: { ...trial.profile, ...composeEvents(events) },
		requests: requests + budget.made,
	};
}

/** The document shows the prefix of the paths that the doctor asks for. */
function prefixesOf(plan: readonly PlannedOperation[]): NonNullable<Profile["operations"]> {
	const ids = ["mappings.get", "health.check"] as const;
	return Object.fromEntries(
		ids.flatMap((id) => {
			const path = plan.find((planned) => planned.id === id)?.profile?.path;
			return path === undefined ? [] : [[id, { path }]];
		}),
	);
}

function signerOf({ appId, appSecret, baseUrl }: Access, { signing, clockOffsetMs = 0 }: Diagnosis) {
	const basePath = new URL(baseUrl).pathname;
	const profile: Profile = { signing };
	return (url: string): Record<string, string> => {
		const timestamp = Math.round(Date.now() + clockOffsetMs);
		return { ...signRequest({ method: "GET", url, appId, appSecret, basePath, timestamp, profile }).headers };
	};
}

/** Makes one signed GET twice, for a contact in whose path nothing is escaped if the gateway has such contacts. */
async function probeNonce(
	plan: readonly PlannedOperation[],
	baseUrl: string,
	sign: (url: string) => Record<string, string>,
	budget: RequestBudget,
): Promise<NonceRejection | undefined> {
	const { path = "" } = plan.find(({ id }) => id === "mappings.get") ?? {};
	const get = async (url: string, signed: Readonly<Record<string, string>>) => {
		const headers = { ...signed, accept: "application/json", "user-agent": PROBE_AGENT };
		try {
			const response = await budget.fetch(url, {
				method: "GET",
				headers,
				signal: AbortSignal.timeout(10_000),
			});
			return { status: response.status, json: await response.json().catch(() => undefined) };
		} catch {
			return undefined;
		}
	};
	for (const number of [NOBODY.slice(1), encodeURIComponent(NOBODY)]) {
		const url = `${baseUrl.replace(/\/+$/, "")}${path.replace(/\{\w+\}/, number)}`;
		const learned = await learnNonce(
			() => sign(url),
			(headers) => get(url, headers),
		);
		if (learned !== undefined) return learned;
	}
	return undefined;
}

function planFrom(found: FoundDocument | undefined, baseUrl: string, hints: PlanHints): PlannedOperation[] {
	const routes: DocumentRoute[] = found === undefined ? [] : readRoutes(found.document);
	return planOperations(routes, { basePath: pathOf(baseUrl), hints, hasDocument: found !== undefined });
}

/** A form of bodies that needs a function is not in a JSON file. */
export function needsFunction({ profileSource }: Diagnosis): boolean {
	return profileSource?.includes("messaging-gateway/signing") === true;
}

/** Whether calls as the profile has them can succeed. */
function mayBeCalled(diagnosis: Diagnosis): boolean {
	return !isBlocked(diagnosis) && (diagnosis.signing !== undefined || diagnosis.isHealthy !== false);
}

function isBlocked({ findings }: Diagnosis): boolean {
	return findings.some(({ isBlocking, cause }) => isBlocking && cause !== "other_signing_form");
}

function judgeSigning(diagnosis: Diagnosis): Adoption["signing"] {
	const { signing, hasTestedBodies } = diagnosis;
	if (signing === undefined) return "open";
	return hasTestedBodies && !isBlocked(diagnosis) && !needsFunction(diagnosis) ? "certain" : "likely";
}

function composeEvents(events: readonly PlannedEvent[]): Record<string, unknown> {
	const maps = events.flatMap(({ map }) => map ?? []);
	return maps.length === 0 ? {} : { events: { map: maps } };
}
