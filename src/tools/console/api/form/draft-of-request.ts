import type { ApiOperation } from "../document/api-document.ts";
import { type Draft, EMPTY_DRAFT, toText } from "./draft.ts";
import { fillForm } from "./fill-form.ts";
import { createFormModel, toKey } from "./form-model.ts";
import { type ReceivedRequest, readRequest } from "./read-request.ts";

/** Fills an operation's form with a received request. A body that the form cannot show stays JSON. */
export function draftOfRequest(operation: ApiOperation, request: ReceivedRequest): Draft {
	const { params, query, body } = readRequest(operation, request);
	const texts = [
		...Object.entries(params).map(([name, value]) => [toKey("path", name), toText(value)]),
		...Object.entries(query).map(([name, value]) => [toKey("query", name), toText(value)]),
	];
	const draft: Draft = { ...EMPTY_DRAFT, texts: Object.fromEntries(texts), json: request.body };
	if (request.body === "") return draft;
	const filled = fillForm(draft, createFormModel(operation), body);
	return "reason" in filled ? { ...draft, mode: "json" } : filled;
}
