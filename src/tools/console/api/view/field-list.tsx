import type { Draft } from "../form/draft.ts";
import type { FormField } from "../form/form-model.ts";
import type { DraftReading } from "../form/read-draft.ts";
import { FieldInput } from "./field-input.tsx";

/** Fields and their form. */
export interface FieldListProps {
	readonly fields: readonly FormField[];
	readonly draft: Draft;
	readonly reading: DraftReading;
	/** Whether empty fields show their problems, too. */
	readonly showsGaps: boolean;
	readonly onChange: (draft: Draft) => void;
}

export function FieldList({ fields, draft, reading, showsGaps, onChange }: FieldListProps) {
	return (
		<>
			{fields.map((field) => {
				const { key } = field;
				const text = draft.texts[key] ?? "";
				const { [key]: empty, ...otherEmpties } = draft.empties;
				return (
					<FieldInput
						key={key}
						field={field}
						text={text}
						empty={empty}
						problem={text !== "" || showsGaps ? reading.problems[key] : undefined}
						onText={(value) => onChange({ ...draft, texts: { ...draft.texts, [key]: value } })}
						onEmpty={(value) => {
							const empties = value === undefined ? otherEmpties : { ...otherEmpties, [key]: value };
							onChange({ ...draft, empties });
						}}
					/>
				);
			})}
		</>
	);
}
