import { findCanonicalBody } from "./body.ts";
import type { Examination } from "./examination.ts";
import type { Signing } from "./probe.ts";
import { findQuery, type Statuses } from "./search.ts";

/**
 * Finds the choices that a call without query and body does not show.
 * @param signing - what such a call was accepted with.
 */
export async function examineChoices(
	examination: Examination,
	signing: Signing,
	statuses: Statuses,
): Promise<void> {
	const { report, hasBasePath, probeBody } = examination;
	const { path, emptyBody } = signing.form;
	report.accept(signing.form, { ...(hasBasePath ? { path } : {}), emptyBody });

	const { query = signing.form.query, ...asked } = await findQuery(examination, signing, statuses);
	const form = { ...signing.form, query };
	report.add(asked.finding);
	if (asked.isUndecided) {
		report.leaveUntested("How queries are signed: the answers to a call with one do not tell.");
	} else if (asked.finding === undefined) {
		report.accept(form, { query });
	}

	if (!probeBody) {
		return report.leaveUntested(
			"How bodies are signed, which no GET shows: probeBody posts keys that no gateway knows to /settings/webhooks.",
		);
	}
	const { canonicalBody, ...posted } = await findCanonicalBody(
		examination,
		{ ...signing, form },
		statuses.refusedStatus,
	);
	report.add(posted.finding);
	if (posted.untested !== undefined) report.leaveUntested(posted.untested);
	if (canonicalBody === undefined) return;
	report.accept({ ...form, canonicalBody }, typeof canonicalBody === "string" ? { canonicalBody } : {});
}
