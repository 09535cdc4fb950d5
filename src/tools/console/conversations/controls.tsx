import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icons.tsx";

/** A button with only an icon; the label is its accessible name and its tooltip. */
export function IconButton(props: { icon: IconName; label: string; onClick: () => void; class?: string }) {
	return (
		<button
			type="button"
			class={`icon-button ${props.class ?? ""}`}
			aria-label={props.label}
			title={props.label}
			onClick={props.onClick}
		>
			<Icon name={props.icon} />
		</button>
	);
}

export function Field({ label, children }: { label: string; children: ComponentChildren }) {
	return (
		// biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
		<label class="field">
			<span class="field-label">{label}</span>
			{children}
		</label>
	);
}

export function NumberInput(props: {
	label: string;
	unit: string;
	value: number;
	min: number;
	isDisabled?: boolean;
	onValue: (value: number) => void;
}) {
	return (
		<span>
			<input
				type="number"
				inputMode="numeric"
				aria-label={props.label}
				min={props.min}
				disabled={props.isDisabled}
				value={props.value}
				onInput={({ currentTarget: { valueAsNumber } }) => {
					if (Number.isFinite(valueAsNumber)) props.onValue(valueAsNumber);
				}}
			/>{" "}
			{props.unit}
		</span>
	);
}

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
				<option key={option}>{option}</option>
			))}
		</select>
	);
}
