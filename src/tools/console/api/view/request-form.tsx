import { useState } from "preact/hooks";
import { Tabs } from "../../parts/tabs.tsx";
import type { ApiOperation } from "../document/api-document.ts";
import { type Draft, toText } from "../form/draft.ts";
import { fillForm } from "../form/fill-form.ts";
import type { FormModel } from "../form/form-model.ts";
import { BODY_KEY, type DraftReading } from "../form/read-draft.ts";
import { BodyFields } from "./body-fields.tsx";
import { FieldList } from "./field-list.tsx";
import { JsonInput } from "./json-input.tsx";

interface RequestFormProps {
	readonly operation: ApiOperation;
	readonly model: FormModel;
	readonly draft: Draft;
	readonly reading: DraftReading;
	/** Whether empty fields show their problems, too. */
	readonly showsGaps: boolean;
	readonly onChange: (draft: Draft) => void;
}

const MODES = [
	{ id: "form", title: "Form" },
	{ id: "json", title: "JSON" },
] as const;

/** The parameters and the body of an operation. The body is entered as fields or as JSON. */
export function RequestForm({ operation, model, draft, reading, showsGaps, onChange }: RequestFormProps) {
	const [problem, setProblem] = useState<string>();
	const inUrl = model.fields.filter(({ place }) => place !== "body");
	const select = (mode: Draft["mode"]): void => {
		const next = switchMode(draft, mode, model, reading);
		setProblem("reason" in next ? next.reason : undefined);
		if (!("reason" in next)) onChange(next);
	};
	const fields = { draft, reading, showsGaps, onChange };
	return (
		<>
			{inUrl.length > 0 && <FieldList {...fields} fields={inUrl} />}
			{operation.body !== undefined && (
				<Tabs label="How to fill in the body" tabs={MODES} selected={draft.mode} onSelect={select}>
					{problem !== undefined && (
						<p class="problem" role="alert">
							{problem} Change the JSON to use the form.
						</p>
					)}
					{draft.mode === "json" ? (
						<JsonInput
							text={draft.json}
							problem={reading.problems[BODY_KEY] ?? firstBodyProblem(reading)}
							onText={(json) => onChange({ ...draft, json })}
						/>
					) : (
						<BodyFields {...fields} model={model} />
					)}
				</Tabs>
			)}
			{model.fields.length === 0 && operation.body === undefined && <p class="muted">Nothing to fill in.</p>}
		</>
	);
}

/** Converts the body from one mode into the other. */
function switchMode(
	draft: Draft,
	mode: Draft["mode"],
	model: FormModel,
	{ content, problems }: DraftReading,
): Draft | { readonly reason: string } {
	if (mode === draft.mode) return draft;
	const body = content?.body;
	if (mode === "json") return { ...draft, mode, json: body === undefined ? draft.json : toText(body) };
	if (problems[BODY_KEY]?.startsWith("must be JSON") === true) return { reason: "This is not JSON." };
	return fillForm(draft, model, body ?? {});
}

/** The first problem of the body, with the field's name, because JSON mode has no fields to show it at. */
function firstBodyProblem({ problems }: DraftReading): string | undefined {
	const found = Object.entries(problems).find(([key]) => key.startsWith("body."));
	return found === undefined ? undefined : `${found[0].slice("body.".length)} ${found[1]}`;
}
