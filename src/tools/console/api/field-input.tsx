import { useId } from "preact/hooks";
import { Prose } from "../parts/prose.tsx";
import type { ApiOperation } from "./document/api-document.ts";
import { type Draft, type DraftReading, toFieldText } from "./form/draft.ts";
import { exampleValue } from "./form/example-value.ts";
import type { FormField, FormModel } from "./form/form-model.ts";

export interface Form {
	readonly operation: ApiOperation;
	readonly model: FormModel;
	readonly draft: Draft;
	readonly reading: DraftReading;
	/** Whether empty fields show their problems, too. */
	readonly showsGaps: boolean;
	readonly onChange: (draft: Draft) => void;
}

export function FieldInput({ field, form }: { field: FormField; form: Form }) {
	const id = useId();
	const { key, name, isRequired, emptyValues, schema } = field;
	const { draft, reading, showsGaps, onChange } = form;
	const { [key]: given, ...others } = draft.texts;
	const text = given ?? "";
	const set = (value: string | null | undefined): void =>
		onChange({ ...draft, texts: value === undefined ? others : { ...others, [key]: value } });
	const problem = text !== "" || showsGaps ? reading.problems[key] : undefined;
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>
					<code>{name}</code>
				</label>
				{isRequired && <span class="problem">required</span>}
				<span class="hint">{describeType(field)}</span>
			</div>
			<FieldControl
				id={id}
				field={field}
				text={text}
				isInvalid={problem !== undefined}
				onText={(value) => set(value === "" ? undefined : value)}
			/>
			{text === "" && emptyValues.length > 0 && (
				<label class="line hint">
					<span>While empty, send</span>
					<select
						value={String(given)}
						onChange={(event) => set(EMPTY_VALUES.get(event.currentTarget.value))}
						aria-label={`What to send for ${name} while it is empty`}
					>
						<option value="undefined">nothing</option>
						{emptyValues.includes("") && <option value="">an empty string</option>}
						{emptyValues.includes(null) && <option value="null">null</option>}
					</select>
				</label>
			)}
			<p id={`${id}-problem`} class="problem" hidden={problem === undefined}>
				{problem}
			</p>
			<p id={`${id}-about`} class="hint" hidden={schema.description === undefined}>
				<Prose text={schema.description ?? ""} />
			</p>
		</div>
	);
}

/** What an empty field sends, by the value of the choice. */
const EMPTY_VALUES: ReadonlyMap<string, "" | null> = new Map([
	["", ""],
	["null", null],
]);

const TYPES = { line: "string", text: "string", number: "number", choice: "choice", json: "JSON" } as const;

function describeType({ kind, schema, place }: FormField): string {
	if (place === "body") return TYPES[kind];
	return [TYPES[kind], `in the ${place}`, ...(schema.format === undefined ? [] : [schema.format])].join(", ");
}

interface FieldControlProps {
	readonly id: string;
	readonly field: FormField;
	readonly text: string;
	readonly isInvalid: boolean;
	readonly onText: (text: string) => void;
}

/** The control of a field: a single-line input, a text area, a number, a choice, or JSON. */
function FieldControl({ id, field, text, isInvalid, onText }: FieldControlProps) {
	const { kind, schema, isRequired, choices } = field;
	const shared = {
		id,
		value: text,
		dir: "auto" as const,
		"aria-invalid": isInvalid,
		"aria-describedby": `${id}-problem ${id}-about`,
		"aria-required": isRequired,
		autoComplete: "off",
		spellcheck: kind === "text",
		onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
			onText(event.currentTarget.value),
	};
	if (kind === "choice") {
		return (
			<select {...shared}>
				<option value="">{isRequired ? "Choose…" : "Not set"}</option>
				{choices.map((choice) => (
					<option key={String(choice)} value={String(choice)}>
						{String(choice)}
					</option>
				))}
			</select>
		);
	}
	if (kind === "text" || kind === "json") {
		const rows = Math.min(12, Math.max(kind === "text" ? 3 : 2, text.split("\n").length));
		const example = kind === "text" ? undefined : JSON.stringify(exampleValue(schema, field.name));
		return <textarea {...shared} class={kind === "json" ? "code" : ""} rows={rows} placeholder={example} />;
	}
	// Several examples are known values of a field that also accepts others.
	const suggestions = schema.examples.map(toFieldText);
	return (
		<>
			<input
				{...shared}
				inputMode={kind === "number" ? "decimal" : "text"}
				autoCapitalize="off"
				placeholder={suggestions.slice(0, 3).join(", ")}
				list={suggestions.length > 1 ? `${id}-list` : undefined}
			/>
			<datalist id={`${id}-list`}>
				{suggestions.map((value) => (
					<option key={value} value={value} />
				))}
			</datalist>
		</>
	);
}
