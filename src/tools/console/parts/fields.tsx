import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

interface TextFieldProps {
	readonly label: string;
	readonly value: string;
	readonly onInput: (value: string) => void;
	/**
	 * Whether it is a secret, which is hidden at first. Its value is only a property of the element, never an attribute in
	 * the markup; without a form, password managers do not offer to save it.
	 */
	readonly isSecret?: boolean;
	/** For a field of several lines, which contains code. */
	readonly rows?: number;
	readonly isUrl?: boolean;
	readonly isRequired?: boolean;
	readonly isInvalid?: boolean;
	readonly placeholder?: string;
	/** Below the field: what it is for, or what is wrong with it. */
	readonly hint?: string | undefined;
	readonly children?: ComponentChildren;
}

export function TextField({ label, value, onInput, children, ...options }: TextFieldProps) {
	const { isSecret = false, rows, isUrl = false, isRequired, isInvalid = false } = options;
	const { placeholder, hint } = options;
	const id = useId();
	const [isShown, setIsShown] = useState(!isSecret);
	const input = {
		id,
		value,
		placeholder,
		required: isRequired,
		dir: "auto",
		onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
			onInput(event.currentTarget.value),
		autoComplete: "off",
		autoCapitalize: "off",
		spellcheck: false,
		"aria-describedby": hint === undefined ? undefined : `${id}-hint`,
		"aria-invalid": isInvalid,
		class: rows === undefined ? "grow" : "code",
	} as const;
	return (
		<div class="field">
			<div class="field-head">
				<label for={id}>{label}</label>
				{children}
			</div>
			{rows !== undefined ? (
				<textarea {...input} rows={rows} />
			) : (
				<div class="beside">
					{isUrl && <input {...input} type="url" />}
					{!isUrl && (isShown ? <input {...input} type="text" /> : <input {...input} type="password" />)}
					{isSecret && (
						<button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
							Show<span class="visually-hidden"> {label}</span>
						</button>
					)}
				</div>
			)}
			{hint !== undefined && (
				<p id={`${id}-hint`} class={isInvalid ? "problem" : "hint"}>
					{hint}
				</p>
			)}
		</div>
	);
}

export function Checkbox(props: {
	/** In the place of its text, for screen readers. */
	label?: string;
	class?: string;
	isOn: boolean;
	isSwitch?: boolean;
	isDisabled?: boolean;
	onChange: (isOn: boolean) => void;
	children: ComponentChildren;
}) {
	return (
		<label class={`check ${props.class ?? ""}`}>
			<input
				type="checkbox"
				role={props.isSwitch ? "switch" : undefined}
				aria-label={props.label}
				checked={props.isOn}
				disabled={props.isDisabled}
				onChange={() => props.onChange(!props.isOn)}
			/>
			<span>{props.children}</span>
		</label>
	);
}

export function ActionForm(props: { class: string; onSubmit: () => void; children: ComponentChildren }) {
	return (
		<form
			class={props.class}
			onSubmit={(event) => {
				event.preventDefault();
				props.onSubmit();
			}}
		>
			{props.children}
		</form>
	);
}
