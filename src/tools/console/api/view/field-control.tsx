import { toText } from "../form/draft.ts";
import { exampleValue } from "../form/example-value.ts";
import type { FormField } from "../form/form-model.ts";

interface FieldControlProps {
	readonly id: string;
	readonly field: FormField;
	readonly text: string;
	readonly isInvalid: boolean;
	readonly describedBy: string | undefined;
	readonly onText: (text: string) => void;
}

/** The control of a field: a single-line input, a text area, a number, a choice, or JSON. */
export function FieldControl({ id, field, text, isInvalid, describedBy, onText }: FieldControlProps) {
	const shared = {
		id,
		value: text,
		dir: "auto" as const,
		"aria-invalid": isInvalid,
		"aria-describedby": describedBy,
		"aria-required": field.isRequired,
		autoComplete: "off",
		spellcheck: field.kind === "text",
		onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
			onText(event.currentTarget.value),
	};
	switch (field.kind) {
		case "choice":
			return (
				<select {...shared}>
					<option value="">{field.isRequired ? "Choose…" : "Not set"}</option>
					{field.choices.map((choice) => (
						<option key={String(choice)} value={String(choice)}>
							{String(choice)}
						</option>
					))}
				</select>
			);
		case "text":
			return <textarea {...shared} rows={Math.min(8, Math.max(3, text.split("\n").length))} />;
		case "json":
			return (
				<textarea
					{...shared}
					class="code"
					rows={Math.min(12, Math.max(2, text.split("\n").length))}
					placeholder={JSON.stringify(exampleValue(field.schema, field.name))}
				/>
			);
		default:
			return (
				<>
					<input
						{...shared}
						inputMode={field.kind === "number" ? "decimal" : "text"}
						autoCapitalize="off"
						placeholder={placeholderOf(field)}
						list={field.suggestions.length > 0 ? `${id}-list` : undefined}
					/>
					{field.suggestions.length > 0 && (
						<datalist id={`${id}-list`}>
							{field.suggestions.map((value) => (
								<option key={value} value={value} />
							))}
						</datalist>
					)}
				</>
			);
	}
}

function placeholderOf({ schema, suggestions }: FormField): string | undefined {
	const [example] = schema.examples;
	if (example === undefined) return undefined;
	return suggestions.length > 0 ? suggestions.slice(0, 3).join(", ") : toText(example);
}
