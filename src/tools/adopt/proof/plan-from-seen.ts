import type { ResponseMap } from "../../../library/catalogue/operation-map.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { DocumentRoute } from "../document/read-routes.ts";
import { matchResult } from "../plan/match-result.ts";
import type { PlannedOperation } from "../plan/plan-types.ts";
import { withoutSameNames } from "../plan/same-names.ts";
import { seenSchema } from "./seen-schema.ts";
import type { SeenResponse } from "./trial-client.ts";

/** What a response shows of an operation: its part of the profile, or why there is none. */
export type SeenPlan =
	| { readonly profile: PlannedOperation["profile"]; readonly note: string | undefined }
	| { readonly problem: string };

/**
 * Plans an operation's result from a response: what is seen beats what is written.
 * @param route - that of the document, for the values that were not seen.
 * @param said - what the message must have, by our names.
 * @param idKey - what the path of one message calls its id.
 */
export function planFromSeen(
	operation: CatalogueOperation,
	planned: PlannedOperation,
	{ status, text }: SeenResponse,
	route: DocumentRoute | undefined,
	{ said, idKey }: { readonly said: Readonly<Record<string, unknown>>; readonly idKey: string | undefined },
): SeenPlan {
	const isEmpty = text.trim() === "";
	const body = isEmpty ? undefined : parse(text);
	if (!isEmpty && !(isJsonObject(body) && body["ok"] === true && "data" in body)) {
		const isPage = text.trimStart().startsWith("<");
		return {
			problem: isPage
				? `${status} with a web page, as of a login or a console`
				: `${status} without the envelope of section 2.1: a custom fetch must convert it`,
		};
	}
	const data = isJsonObject(body) ? body["data"] : undefined;
	const { response, questions } = matchResult(
		operation,
		isEmpty ? undefined : seenSchema(data, route?.response),
		{
			paging: planned.paging,
			isEmpty,
			isIdGuid: false,
			idKey,
			said,
			envelope: isEmpty ? undefined : seenSchema(body, route?.envelope),
			isSeen: true,
		},
	);
	const [question] = questions;
	if (question !== undefined) return { problem: question.message };
	if (response === undefined) return { problem: "its response has none of our fields" };
	const { request } = planned.profile?.map ?? {};
	const map = withoutSameNames(operation, { response }, []);
	const merged = { ...(request && { request }), ...map };
	const { map: before, ...others } = planned.profile ?? {};
	const profile = { ...others, ...(Object.keys(merged).length > 0 && { map: merged }) };
	return {
		profile: Object.keys(profile).length === 0 ? undefined : profile,
		note: route?.response === undefined ? undefined : describeChange(before?.response, response),
	};
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The first place that is another than the document says. */
function describeChange(before: ResponseMap | undefined, after: ResponseMap): string | undefined {
	if (before === undefined) return undefined;
	if ((before.list ?? "") !== (after.list ?? "")) {
		return `the document has its list at ${before.list || "the top"}, the gateway sent it at ${after.list || "the top"}`;
	}
	for (const [name, field] of Object.entries(after.fields)) {
		const [written, sent] = [placeOf(before.fields[name]), placeOf(field)];
		if (sent === undefined || written === sent) continue;
		return written === undefined
			? `the gateway also sent ${sent}`
			: `the document says ${written}, the gateway sent ${sent}: what was sent is used`;
	}
	return undefined;
}

function placeOf(field: ResponseMap["fields"][string] | undefined): string | undefined {
	if (typeof field === "string") return field;
	return field !== undefined && "at" in field ? field.at : undefined;
}
