import { useId } from "preact/hooks";
import { Prose } from "../../parts/prose.tsx";
import type { FormField } from "../form/form-model.ts";
import { FieldControl } from "./field-control.tsx";

interface FieldInputProps {
	readonly field: FormField;
	readonly text: string;
	/** The value to send for an empty field; `undefined` if it is not sent. */
	readonly empty: "" | null | undefined;
	readonly problem: string | undefined;
	readonly onText: (text: string) => void;
	readonly onEmpty: (empty: "" | null | undefined) => void;
}

/** A field with its label, description and problem. */
export function FieldInput({ field, text, empty, problem, onText, onEmpty }: FieldInputProps) {
	const id = useId();
	const { name, description, isRequired, emptyValues } = field;
	const describedBy = [
		description === undefined ? undefined : `${id}-about`,
		problem === undefined ? undefined : `${id}-problem`,
	].filter((part) => part !== undefined);
	return (
		<div class={problem === undefined ? "field" : "field has-problem"}>
			<div class="field-head">
				<label class="field-name" for={id}>
					{name}
				</label>
				{isRequired && <span class="required">required</span>}
				<span class="type">{describeType(field)}</span>
			</div>
			<FieldControl
				id={id}
				field={field}
				text={text}
				isInvalid={problem !== undefined}
				describedBy={describedBy.length === 0 ? undefined : describedBy.join(" ")}
				onText={onText}
			/>
			{text === "" && emptyValues.length > 0 && (
				<label class="empty-choice">
					<span>While empty, send</span>
					<select
						value={String(empty)}
						onChange={(event) => onEmpty(readEmpty(event.currentTarget.value))}
						aria-label={`What to send for ${name} while it is empty`}
					>
						<option value="undefined">nothing</option>
						{emptyValues.includes("") && <option value="">an empty string</option>}
						{emptyValues.includes(null) && <option value="null">null</option>}
					</select>
				</label>
			)}
			{problem !== undefined && (
				<p id={`${id}-problem`} class="problem">
					{problem}
				</p>
			)}
			{description !== undefined && (
				<p id={`${id}-about`} class="hint">
					<Prose text={description} />
				</p>
			)}
		</div>
	);
}

function readEmpty(value: string): "" | null | undefined {
	if (value === "undefined") return undefined;
	return value === "null" ? null : "";
}

function describeType({ kind, schema, place }: FormField): string {
	const type =
		kind === "json" ? "JSON" : { line: "string", text: "string", number: "number", choice: "choice" }[kind];
	return place === "body"
		? type
		: `${type}, in the ${place}${schema.format === undefined ? "" : `, ${schema.format}`}`;
}
