/** A small number input with its unit. */
export function NumberInput(props: {
	label: string;
	unit?: string;
	value: number;
	min?: number;
	isDisabled?: boolean;
	onValue: (value: number) => void;
}) {
	return (
		<span class="number-input">
			<input
				type="number"
				inputMode="numeric"
				aria-label={props.label}
				min={props.min ?? 0}
				disabled={props.isDisabled}
				value={props.value}
				onInput={({ currentTarget }) => {
					if (Number.isFinite(currentTarget.valueAsNumber)) props.onValue(currentTarget.valueAsNumber);
				}}
			/>
			{props.unit !== undefined && <span class="muted">{props.unit}</span>}
		</span>
	);
}

/** A choice of one of several strings. */
export function Choice<Option extends string>(props: {
	label: string;
	options: readonly Option[];
	value: Option;
	onValue: (value: Option) => void;
}) {
	return (
		<select
			aria-label={props.label}
			value={props.value}
			onChange={({ currentTarget }) => {
				const chosen = props.options.find((option) => option === currentTarget.value);
				if (chosen !== undefined) props.onValue(chosen);
			}}
		>
			{props.options.map((option) => (
				<option key={option} value={option}>
					{option}
				</option>
			))}
		</select>
	);
}
