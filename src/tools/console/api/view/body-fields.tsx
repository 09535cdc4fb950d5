import { useId, useState } from "preact/hooks";
import type { FormField, FormModel } from "../form/form-model.ts";
import { BODY_KEY } from "../form/read-draft.ts";
import { FieldList, type FieldListProps } from "./field-list.tsx";

/** More optional fields than this are collapsed. */
const MAX_OPTIONAL = 3;

type FieldsProps = Omit<FieldListProps, "fields">;

/** The body's fields: exclusive, required and optional ones. */
export function BodyFields({ model, ...props }: FieldsProps & { readonly model: FormModel }) {
	const inBody = model.fields.filter(({ place }) => place === "body");
	const exclusive = inBody.filter(({ key }) => model.exclusiveKeys.includes(key));
	const others = inBody.filter((field) => !exclusive.includes(field));
	const optional = others.filter(({ isRequired }) => !isRequired);
	const isFilledIn = optional.some(({ key }) => key in props.draft.texts || key in props.draft.empties);
	const problem = props.showsGaps ? props.reading.problems[BODY_KEY] : undefined;
	const list = <FieldList {...props} fields={optional} />;
	return (
		<>
			{exclusive.length > 0 && <ExclusiveFields {...props} fields={exclusive} problem={problem} />}
			{exclusive.length === 0 && problem !== undefined && <p class="problem">The body {problem}</p>}
			<FieldList {...props} fields={others.filter(({ isRequired }) => isRequired)} />
			{optional.length > MAX_OPTIONAL ? (
				<details class="fold" open={isFilledIn}>
					<summary>{optional.length} optional fields</summary>
					<div class="fold-fields">{list}</div>
				</details>
			) : (
				list
			)}
		</>
	);
}

interface ExclusiveFieldsProps extends FieldsProps {
	readonly fields: readonly FormField[];
	readonly problem: string | undefined;
}

/** Fields of which exactly one must be given. Choosing one clears the others. */
function ExclusiveFields({ fields, problem, ...props }: ExclusiveFieldsProps) {
	const id = useId();
	const { draft, onChange } = props;
	const filledIn = fields.find(({ key }) => (draft.texts[key] ?? "") !== "");
	const [chosenKey, setChosenKey] = useState<string>();
	const chosen = filledIn ?? fields.find(({ key }) => key === chosenKey) ?? fields[0];
	const choose = (key: string): void => {
		const others = fields.map((field) => field.key).filter((other) => other !== key);
		setChosenKey(key);
		onChange({ ...draft, texts: omit(draft.texts, others), empties: omit(draft.empties, others) });
	};
	return (
		<fieldset aria-describedby={problem === undefined ? undefined : `${id}-problem`}>
			<legend>Exactly one of</legend>
			<div class="choices">
				{fields.map(({ key, name }) => (
					<label key={key} class="choice">
						<input type="radio" name={id} checked={key === chosen?.key} onChange={() => choose(key)} />
						<code>{name}</code>
					</label>
				))}
			</div>
			{chosen !== undefined && <FieldList {...props} fields={[chosen]} />}
			{problem !== undefined && (
				<p id={`${id}-problem`} class="problem">
					The body {problem}
				</p>
			)}
		</fieldset>
	);
}

function omit<Value>(
	record: Readonly<Record<string, Value>>,
	keys: readonly string[],
): Record<string, Value> {
	return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
