import type { Profile } from "../../catalogue/profile.ts";
import { estimateOffset } from "./clock.ts";
import type { Diagnosis, DiagnosisFinding, SigningChoices } from "./diagnosis.ts";
import type { Prober } from "./prober.ts";
import { writeProfileSource } from "./profile-source.ts";
import { describeDifferences, type SigningForm, toForm } from "./signing-form.ts";

/** What is known so far, so that a diagnosis whose time is over still tells it. */
export class Report {
	/** Whether a signed call came through. */
	isAccepted = false;
	readonly #findings: DiagnosisFinding[] = [];
	readonly #untested: string[] = [];
	#form: SigningForm | undefined;
	#signing: SigningChoices | undefined;

	/** Adds what was found, if anything was. */
	add(finding: DiagnosisFinding | undefined): void {
		if (finding !== undefined) this.#findings.push(finding);
	}

	/** Adds what nothing was found out about, in a sentence. */
	leaveUntested(sentence: string): void {
		this.#untested.push(sentence);
	}

	/** A signed call came through: in which form, and which of its choices that has shown. */
	accept(form: SigningForm, shown: SigningChoices): void {
		this.isAccepted = true;
		this.#form = form;
		this.#signing = { ...this.#signing, ...shown };
	}

	/** The result, of a client with this profile. */
	conclude({ baseUrl, checks, samples, hasAnswers }: Prober, present: Profile | undefined): Diagnosis {
		const form = this.#form;
		const differences = form === undefined ? "" : describeDifferences(form, toForm(present?.signing));
		const hasOtherForm = form !== undefined && differences !== "";
		if (hasOtherForm) this.add(otherForm(differences));
		const clockOffsetMs = estimateOffset(samples);
		return {
			isHealthy: this.isAccepted && !this.#findings.some(({ isBlocking }) => isBlocking),
			isReachable: hasAnswers,
			baseUrl,
			latencyMs: median(checks.filter(isAnsweredHealth).map(({ durationMs }) => durationMs)),
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
	"The clock: no answer shows the gateway's. In a browser, Date can be read only where the gateway exposes it.";
const WEBHOOKS_UNTESTED =
	"Webhooks: only a delivery shows whether their secret and the vendor's words are right; see explainWebhookFailure.";

function otherForm(differences: string): DiagnosisFinding {
	return {
		cause: "other_signing_form",
		certainty: "certain",
		isBlocking: true,
		message: `The credentials are right, and the gateway signs in another form than this client: ${differences}.`,
		fix: "Give the client the profile of profileSource, and the same one to the local gateway of your tests.",
	};
}

function isAnsweredHealth({ probe, status }: Diagnosis["checks"][number]): boolean {
	return probe === "health" && status !== undefined;
}

/** What makes calls fail first, and then what was proven. */
function rank({ isBlocking, certainty }: DiagnosisFinding): number {
	return (isBlocking ? 0 : 2) + (certainty === "certain" ? 0 : 1);
}

function median(numbers: readonly number[]): number | undefined {
	return [...numbers].sort((left, right) => left - right)[Math.floor(numbers.length / 2)];
}
