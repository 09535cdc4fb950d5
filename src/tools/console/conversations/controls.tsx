import type { ComponentChildren } from "preact";
import type { ConversationView } from "../../control/contract.ts";
import { Icon, type IconName } from "./icons.tsx";

/** A button with only an icon; the label is its accessible name and its tooltip. */
export function IconButton(props: {
	icon: IconName;
	label: string;
	onClick: () => void;
	disabled?: boolean;
	class?: string;
}) {
	return (
		<button
			type="button"
			class={`icon-button ${props.class ?? ""}`}
			aria-label={props.label}
			title={props.label}
			disabled={props.disabled}
			onClick={props.onClick}
		>
			<Icon name={props.icon} />
		</button>
	);
}

/** A field with its label above it. */
export function Field({ label, children }: { label: string; children: ComponentChildren }) {
	return (
		// biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
		<label class="field">
			<span class="field-label">{label}</span>
			{children}
		</label>
	);
}

export function Switch(props: {
	label: string;
	isOn: boolean;
	onChange: (isOn: boolean) => void;
	disabled?: boolean;
}) {
	return (
		<button
			type="button"
			role="switch"
			class="switch"
			aria-checked={props.isOn}
			aria-label={props.label}
			disabled={props.disabled}
			onClick={() => props.onChange(!props.isOn)}
		>
			<span class="switch-knob" />
		</button>
	);
}

/** A group of controls or facts under a heading. */
export function Card({
	title,
	side,
	children,
}: {
	title: string;
	side?: ComponentChildren;
	children: ComponentChildren;
}) {
	return (
		<section class="card">
			<header class="card-header">
				<h3>{title}</h3>
				{side}
			</header>
			{children}
		</section>
	);
}

/** A coloured circle with the number's last digits, or the size of the group. The colour comes from the key. */
export function Avatar({
	of: { key, groupId, contacts },
}: {
	of: Pick<ConversationView, "key" | "groupId" | "contacts">;
}) {
	let hash = 0;
	for (const character of key) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
	return (
		<span class={`avatar tone-${hash % 6}`} aria-hidden="true">
			{groupId === null ? key.slice(-2) : `×${contacts.length}`}
		</span>
	);
}
