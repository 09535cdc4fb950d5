import { useState } from "preact/hooks";

interface SecretInputProps {
	readonly id: string;
	/** The name of the secret, for the button. */
	readonly name: string;
	readonly value: string;
	readonly onInput: (value: string) => void;
	readonly describedBy?: string;
	readonly isInvalid?: boolean;
}

/**
 * A field for a secret. The value is only a property of the element, never an attribute in the markup. Without a
 * form, password managers do not offer to save it.
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
