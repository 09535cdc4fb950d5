import { findCanonicalBody } from "./body.ts";
import type { Examination } from "./examination.ts";
import type { Signing } from "./probe.ts";
import { findQuery, type Statuses } from "./search.ts";
import { isDecoded } from "./signing-form.ts";

/**
 * Finds the signing choices that a call without query and body does not show.
 * @param signing - the signing that was accepted for a call without them.
 */
export async function examineChoices(
	examination: Examination,
	signing: Signing,
	statuses: Statuses,
): Promise<void> {
	const { report, hasBasePath, probeBody } = examination;
	const { path, emptyBody, timestamp } = signing.form;
	const isPathShown = hasBasePath || isDecoded(path);
	report.accept(signing.form, {
		...(isPathShown ? { path } : {}),
		emptyBody,
		...(timestamp === "seconds" ? { timestamp } : {}),
	});

	const { query = signing.form.query, ...search } = await findQuery(examination, signing, statuses);
	const form = { ...signing.form, query };
	report.add(search.finding);
	if (search.isUndecided) {
		report.leaveUntested("How queries are signed: the responses to a call with a query are inconclusive.");
	} else if (search.finding === undefined) {
		report.accept(form, { query });
	}

	if (!probeBody) {
		return report.leaveUntested(
			"How bodies are signed, which no GET shows: set probeBody to post keys that no gateway knows to /settings/webhooks.",
		);
	}
	const { canonicalBody, ...posted } = await findCanonicalBody(
		examination,
		{ ...signing, form },
		statuses.rejectedStatus,
	);
	report.add(posted.finding);
	if (posted.untested !== undefined) report.leaveUntested(posted.untested);
	if (canonicalBody === undefined) return;
	report.accept({ ...form, canonicalBody }, typeof canonicalBody === "string" ? { canonicalBody } : {});
}
