import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

interface TabsProps<Id extends string> {
	readonly label: string;
	readonly tabs: Readonly<Record<Id, string>>;
	readonly selected: Id;
	readonly onSelect: (id: Id) => void;
	readonly children: ComponentChildren;
}

/** Tabs with the keyboard behaviour of the ARIA practices: one tab stop, arrow keys between the tabs. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) {
	const base = useId();
	const list = useRef<HTMLDivElement>(null);
	const ids: Id[] = [];
	for (const id in tabs) ids.push(id);
	const select = (at: number): void => {
		const id = ids[(at + ids.length) % ids.length];
		if (id === undefined) return;
		onSelect(id);
		list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${base}-${id}`)}`)?.focus();
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		const at = ids.indexOf(selected);
		const target = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
		if (target === undefined) return;
		event.preventDefault();
		select(target);
	};
	return (
		<div class="tabs">
			<div role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
				{ids.map((id) => (
					<button
						key={id}
						type="button"
						role="tab"
						id={`${base}-${id}`}
						aria-selected={id === selected}
						aria-controls={`${base}-panel`}
						tabIndex={id === selected ? 0 : -1}
						onClick={() => onSelect(id)}
					>
						{tabs[id]}
					</button>
				))}
			</div>
			<div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${selected}`}>
				{children}
			</div>
		</div>
	);
}
