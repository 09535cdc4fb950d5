import { copyText } from "../parts/copy-button.tsx";
import { useConsole } from "./console-context.ts";
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

/** A button that copies a source which is written on demand. */
export function CopySource(props: {
	/** The label of the button, such as `Copy as test`. */
	label: string;
	/** What is copied, such as `The test`. */
	of: string;
	write: () => Promise<string>;
}) {
	const { label, of, write } = props;
	const { attempt } = useConsole();
	const copy = async (): Promise<void> => {
		if (!(await copyText(await write()))) throw new Error("The browser denies access to the clipboard.");
	};
	return (
		<button type="button" onClick={() => void attempt(copy, `${of} is on the clipboard.`)}>
			<Icon name="code" /> <span>{label}</span>
		</button>
	);
}

export function NumberInput(props: {
	label: string;
	unit?: string | undefined;
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
				required
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
