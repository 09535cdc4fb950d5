import { useId, useState } from "preact/hooks";
import { TextField } from "../parts/fields.tsx";
import { indentJson } from "../parts/json-value.ts";
import { Tabs } from "../parts/tabs.tsx";
import { FieldInput, type Form } from "./field-input.tsx";
import { BODY_KEY, type Draft, fillForm, toFieldText } from "./form/draft.ts";
import type { FormField } from "./form/form-model.ts";

const MODES = { form: "Form", json: "JSON" } as const;

/** More optional fields than this are collapsed. */
const MAX_OPTIONAL = 3;

/** The parameters and the body of an operation. The body is entered as fields or as JSON. */
export function RequestForm({ form }: { form: Form }) {
	const { operation, model, draft, onChange } = form;
	const [reason, setReason] = useState<string>();
	const select = (mode: Draft["mode"]): void => {
		const next = switchMode(form, mode);
		setReason("reason" in next ? next.reason : undefined);
		if (!("reason" in next)) onChange(next);
	};
	return (
		<>
			{listFields(
				form,
				model.fields.filter(({ place }) => place !== "body"),
			)}
			{operation.body !== undefined && (
				<Tabs label="How to fill in the body" tabs={MODES} selected={draft.mode} onSelect={select}>
					{reason !== undefined && (
						<p class="problem" role="alert">
							{reason} Change the JSON to use the form.
						</p>
					)}
					{draft.mode === "json" ? <JsonInput form={form} /> : <BodyFields form={form} />}
				</Tabs>
			)}
			{model.fields.length === 0 && operation.body === undefined && <p class="muted">Nothing to fill in.</p>}
		</>
	);
}

function switchMode({ draft, model, reading }: Form, mode: Draft["mode"]) {
	if (mode === draft.mode) return draft;
	const body = reading.content?.body;
	if (mode === "json") return { ...draft, mode, json: body === undefined ? draft.json : toFieldText(body) };
	if (reading.problems[BODY_KEY]?.startsWith("must be JSON") === true) return { reason: "This isn't JSON." };
	return fillForm(draft, model, body ?? {});
}

function listFields(form: Form, fields: readonly FormField[]) {
	return fields.map((field) => <FieldInput key={field.key} form={form} field={field} />);
}

/** The body's fields: exclusive, required and optional ones. */
function BodyFields({ form }: { form: Form }) {
	const { model, draft, reading, showsGaps } = form;
	const inBody = model.fields.filter(({ place }) => place === "body");
	const exclusive = inBody.filter(({ key }) => model.exclusiveKeys.includes(key));
	const others = inBody.filter((field) => !exclusive.includes(field));
	const optional = others.filter(({ isRequired }) => !isRequired);
	const problem = showsGaps ? reading.problems[BODY_KEY] : undefined;
	const list = listFields(form, optional);
	return (
		<>
			{exclusive.length > 0 && <ExclusiveFields form={form} fields={exclusive} />}
			{problem !== undefined && <p class="problem">The body {problem}</p>}
			{listFields(
				form,
				others.filter(({ isRequired }) => isRequired),
			)}
			{optional.length > MAX_OPTIONAL ? (
				<details class="fold" open={optional.some(({ key }) => key in draft.texts)}>
					<summary>{optional.length} optional fields</summary>
					<div class="fold-fields">{list}</div>
				</details>
			) : (
				list
			)}
		</>
	);
}

/** Fields of which exactly one must be given. Choosing one clears the others. */
function ExclusiveFields({ form, fields }: { form: Form; fields: readonly FormField[] }) {
	const id = useId();
	const { draft, onChange } = form;
	const [chosenKey, setChosenKey] = useState<string>();
	const filledIn = fields.find(({ key }) => key in draft.texts);
	const chosen = filledIn ?? fields.find(({ key }) => key === chosenKey) ?? fields[0];
	const choose = (chosenKey: string): void => {
		const others = fields.filter(({ key }) => key !== chosenKey).map(({ key }) => key);
		setChosenKey(chosenKey);
		const texts = Object.entries(draft.texts).filter(([key]) => !others.includes(key));
		onChange({ ...draft, texts: Object.fromEntries(texts) });
	};
	return (
		<fieldset>
			<legend>Exactly one of</legend>
			<div class="line">
				{fields.map(({ key, name }) => (
					<label key={key} class="check">
						<input type="radio" name={id} checked={key === chosen?.key} onChange={() => choose(key)} />
						<code>{name}</code>
					</label>
				))}
			</div>
			{chosen !== undefined && listFields(form, [chosen])}
		</fieldset>
	);
}

function JsonInput({ form: { draft, reading, onChange } }: { form: Form }) {
	const text = draft.json;
	const formatted = indentJson(text);
	// In this mode there are no fields to show the problems of fields at.
	const [key, found] = Object.entries(reading.problems).find(([at]) => at.startsWith("body.")) ?? [];
	const problem = reading.problems[BODY_KEY] ?? (key && `${key.slice("body.".length)} ${found}`);
	const set = (json: string): void => onChange({ ...draft, json });
	return (
		<TextField
			label="Body"
			rows={Math.min(24, Math.max(8, text.split("\n").length + 1))}
			value={text}
			onInput={set}
			isInvalid={problem !== undefined}
			hint={problem}
		>
			<button
				type="button"
				class="link to-the-end"
				disabled={formatted === text}
				onClick={() => set(formatted)}
			>
				Format
			</button>
		</TextField>
	);
}
