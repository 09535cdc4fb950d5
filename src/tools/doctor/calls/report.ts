import type { Profile } from "../../../library/catalogue/profile.ts";
import { writeBodyFormSource } from "./body-form.ts";
import { estimateOffset } from "./clock.ts";
import type { Diagnosis, DiagnosisFinding, SigningChoices } from "./diagnosis.ts";
import type { Prober } from "./prober.ts";
import { describeDifferences, type SigningForm, toForm } from "./signing-form.ts";

/** What is known so far, also if the diagnosis times out. */
export class DiagnosisReport {
	/** Whether a signed call was accepted. */
	isAccepted = false;
	/** Whether a signed body was accepted. */
	hasTestedBodies = false;
	/** Whether it stays open how a path with an escape is signed. */
	isPathOpen = false;
	readonly #findings: DiagnosisFinding[] = [];
	readonly #untested: string[] = [];
	#form: SigningForm | undefined;
	#signing: SigningChoices | undefined;

	/** Adds a finding, if there is one. */
	add(finding: DiagnosisFinding | undefined): void {
		if (finding !== undefined) this.#findings.push(finding);
	}

	/** Adds what could not be tested, in a sentence. */
	leaveUntested(sentence: string): void {
		this.#untested.push(sentence);
	}

	/** A signed call was accepted in a form, which has shown some of its choices. */
	accept(form: SigningForm, shown: SigningChoices): void {
		this.isAccepted = true;
		this.#form = form;
		this.#signing = { ...this.#signing, ...shown };
	}

	/** The form that was accepted. */
	get form(): SigningForm | undefined {
		return this.#form;
	}

	/** Reads that succeed do not show that sends do. */
	#isHealthy(): boolean | null {
		if (!this.isAccepted || this.#findings.some(({ isBlocking }) => isBlocking)) return false;
		return (this.hasTestedBodies && !this.isPathOpen) || null;
	}

	/** The result, for a client with this profile. */
	conclude({ baseUrl, checks, samples, hasResponses }: Prober, present: Profile | undefined): Diagnosis {
		const form = this.#form;
		const own = toForm(present?.signing);
		const differences = form === undefined ? "" : describeDifferences(form, own);
		const hasOtherForm = form !== undefined && differences !== "";
		if (hasOtherForm) this.add(otherForm(differences, !isOnlyOfNulls(form, own)));
		const clockOffsetMs = estimateOffset(samples);
		return {
			isHealthy: this.#isHealthy(),
			hasTestedBodies: this.hasTestedBodies,
			isReachable: hasResponses,
			baseUrl,
			latencyMs: median(
				checks.flatMap(({ probe, status, durationMs }) =>
					probe === "health" && status !== undefined ? [durationMs] : [],
				),
			),
			clockOffsetMs,
			findings: [...this.#findings].sort((left, right) => rank(left) - rank(right)),
			checks: [...checks],
			untested: [
				...(this.isAccepted ? [] : ["The credentials and the signing: no signed call was accepted."]),
				...this.#untested,
				...(clockOffsetMs === undefined ? [CLOCK_UNKNOWN] : []),
				WEBHOOKS_UNTESTED,
			],
			signing: this.#signing,
			profileSource: hasOtherForm ? writeProfileSource(form, present) : undefined,
		};
	}
}

const CLOCK_UNKNOWN =
	"The clock: no response shows the gateway's. In a browser, Date can be read only if the gateway exposes it.";
const WEBHOOKS_UNTESTED =
	"Webhooks: only a delivery shows whether their secret and the vendor's names are correct; see explainWebhookFailure.";

/** Whether bodies without nulls are the same in both forms: only a codec of a profile writes a null. */
function isOnlyOfNulls(form: SigningForm, own: SigningForm): boolean {
	if (form.canonicalBody !== "no_nulls") return false;
	return describeDifferences({ ...form, canonicalBody: "rfc8785" }, own) === "";
}

function otherForm(differences: string, isBlocking: boolean): DiagnosisFinding {
	const unit = differences.includes('timestamp "seconds"')
		? " Timestamps in seconds differ from section 5.1 of the specification, which has milliseconds."
		: "";
	const scope = isBlocking ? "" : " Only a body with a null differs, which a codec of a profile may write.";
	return {
		cause: "other_signing_form",
		certainty: "certain",
		isBlocking,
		message: `The credentials are correct, but the gateway uses another signing form than this client: ${differences}. A call in that form was accepted, and one with a wrong signature wasn't.${unit}${scope}`,
		fix: "Use the profile of profileSource for the client, and for the local gateway in your tests.",
	};
}

/** A module with a profile for a signing form, to paste. A comment names the present parts to keep, which JSON cannot hold. */
function writeProfileSource(form: SigningForm, present: Profile | undefined): string {
	const choices = Object.entries(form).filter(
		([name, choice]) =>
			typeof choice === "string" &&
			choice !== "milliseconds" &&
			choice !== "text" &&
			(name !== "canonicalBody" || form.bodyForm === undefined),
	);
	const kept = [
		...(typeof form.canonicalBody === "function" && form.bodyForm === undefined
			? ["signing.canonicalBody"]
			: []),
		...Object.entries(present ?? {}).flatMap(([part, value]) =>
			part === "signing" || part === "mapper" || value === undefined ? [] : part,
		),
	];
	const body = form.bodyForm && writeBodyFormSource(form.bodyForm);
	const lines = [
		'import { defineProfile } from "messaging-gateway";',
		...(body === undefined ? [] : [body.import]),
		"",
		"export const profile = defineProfile({",
		...(kept.length === 0 ? [] : [`  // Keep ${kept.join(", ")} of your present profile.`]),
		"  signing: {",
		...choices.map(([name, choice]) => `    ${name}: ${JSON.stringify(choice)},`),
		...(body?.lines ?? []).map((line) => `    ${line}`),
		"  },",
		"});",
		"",
		"export default profile;",
		"",
	];
	return lines.join("\n");
}

/** Causes of failing calls come first, and certain ones before likely ones. */
function rank({ isBlocking, certainty }: DiagnosisFinding): number {
	return (isBlocking ? 0 : 2) + (certainty === "certain" ? 0 : 1);
}

function median(numbers: readonly number[]): number | undefined {
	return [...numbers].sort((left, right) => left - right)[Math.floor(numbers.length / 2)];
}
