import { describeHealth, withParentAddress } from "./address.ts";
import { findBodyForm } from "./body.ts";
import { type Examination, isDecisive, sendSigned } from "./examination.ts";
import { hasEnvelope, markOf, type Responded, type Signing } from "./probe.ts";
import { describeNoKnownPath, describeUnwrapped } from "./response-findings.ts";
import { findDecoding, findQuery, type Reached } from "./search.ts";
import { isDecoded } from "./signing-form.ts";

/** A path that no gateway has. */
const UNKNOWN_PATH = "/path-that-no-gateway-has";

/**
 * Finds whether the path is known, and the signing choices that a call without query and body does not show.
 * @param signing - the signing that was accepted for a call without them.
 * @param reachedFirst - that call, and how it ended.
 * @param unhealthy - a response to a health call that is not a healthy gateway's.
 */
export async function examineChoices(
	examination: Examination,
	signing: Signing,
	reachedFirst: Reached,
	unhealthy: Responded | undefined,
): Promise<void> {
	const { report, own, hasBasePath, probeBody } = examination;
	const decoding = await findDecoding(examination, signing, reachedFirst);
	if (decoding.finding !== undefined) return report.add(decoding.finding);
	const { form: accepted, reached } = decoding;
	const { ending } = reached;
	const { read } = ending;
	const { path, emptyBody, timestamp, secret } = accepted;
	const isPathShown = !decoding.isUndecided && (hasBasePath || isDecoded(path));
	report.accept(accepted, {
		...(isPathShown ? { path } : {}),
		emptyBody,
		...(timestamp === "seconds" ? { timestamp } : {}),
		...(secret === "text" && own.secret === "text" ? {} : { secret }),
	});
	if (decoding.isUndecided) {
		report.isPathOpen = true;
		report.leaveUntested(
			"How escapes in a path are signed: the responses to a call with an escape are inconclusive.",
		);
	}
	if (read.success === undefined && !hasEnvelope(read)) report.add(describeUnwrapped(ending));

	const signed = { ...signing, form: accepted };
	const isKnown = read.success !== undefined || (await isKnownPath(examination, signed, ending));
	if (!isKnown && unhealthy !== undefined) {
		report.add(await withParentAddress(examination, describeNoKnownPath(ending, unhealthy)));
	} else {
		if (!isKnown) report.leaveUntested("The path of mappings: an unknown path gets the same response.");
		report.add(unhealthy && describeHealth(unhealthy));
	}

	const { query = accepted.query, ...search } = await findQuery(examination, signed, reached);
	const form = { ...accepted, query };
	report.add(search.finding);
	if (search.isUndecided) {
		report.leaveUntested("How queries are signed: the responses to a call with a query are inconclusive.");
	} else if (search.finding === undefined) {
		report.accept(form, { query });
	}

	if (!probeBody) {
		return report.leaveUntested(
			"Bodies are unproven: no GET shows how they are signed, so sends may still fail. Set probeBody (the command: --probe-body) to post keys that no gateway knows to /settings/webhooks.",
		);
	}
	const bodies = await findBodyForm(examination, { ...signing, form });
	report.add(bodies.finding);
	if (bodies.untested !== undefined) report.leaveUntested(`Bodies are unproven: ${bodies.untested}.`);
	if (bodies.form === undefined) return;
	report.hasTestedBodies = true;
	const { canonicalBody } = bodies.form;
	report.accept(bodies.form, typeof canonicalBody === "string" ? { canonicalBody } : {});
}

/** Whether a path that does not exist gets another response: a gateway may authenticate before it looks for a path. */
async function isKnownPath(
	examination: Examination,
	signing: Signing,
	{ read }: Responded,
): Promise<boolean> {
	if (read.status !== 404 && read.status !== 405) return true;
	const target = { ...examination.mapping, path: UNKNOWN_PATH, fields: {} };
	const unknown = await sendSigned(examination, "signed_unknown_path", signing, target);
	return isDecisive(unknown) && markOf(unknown.read) !== markOf(read);
}
