import { useState } from "preact/hooks";

interface SecretInputProps {
	readonly id: string;
	/** What the secret is, for the button beside it. */
	readonly name: string;
	readonly value: string;
	readonly onInput: (value: string) => void;
	readonly describedBy?: string;
	readonly isInvalid?: boolean;
}

/**
 * A field for a secret. The value is a property of the element and never an attribute, so nothing that reads the
 * page's markup finds it; no form is around it, and no password manager is asked to keep it.
 */
export function SecretInput({ id, name, value, onInput, describedBy, isInvalid = false }: SecretInputProps) {
	const [isShown, setIsShown] = useState(false);
	const shared = {
		id,
		value,
		onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
			onInput(event.currentTarget.value),
		autoComplete: "off",
		autoCapitalize: "off",
		spellcheck: false,
		"aria-describedby": describedBy,
		"aria-invalid": isInvalid,
	} as const;
	return (
		<div class="secret-input">
			{isShown ? <input {...shared} type="text" /> : <input {...shared} type="password" />}
			<button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
				Show<span class="visually-hidden"> {name}</span>
			</button>
		</div>
	);
}
