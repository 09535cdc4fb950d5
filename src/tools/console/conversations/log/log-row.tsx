import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** A row that opens its details. It stays open when it is scrolled away. */
export function LogRow(props: {
	/** The item, in the keys of all that are open. */
	rowKey: string;
	opened: Set<string>;
	class: string;
	details: () => ComponentChildren;
	/** The summary. */
	children: ComponentChildren;
}) {
	const { rowKey, opened, details, children } = props;
	const [isOpen, setIsOpen] = useState(opened.has(rowKey));
	const toggle = (isNowOpen: boolean): void => {
		if (isNowOpen) opened.add(rowKey);
		else opened.delete(rowKey);
		setIsOpen(isNowOpen);
	};
	return (
		<details class={props.class} open={isOpen} onToggle={({ currentTarget }) => toggle(currentTarget.open)}>
			{children}
			{isOpen && details()}
		</details>
	);
}
