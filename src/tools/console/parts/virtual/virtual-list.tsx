import type { ComponentChild } from "preact";
import { useCallback, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { keepSame, topOf } from "./row-layout.ts";
import { useVirtualRows, type VirtualRowsOptions } from "./use-virtual-rows.ts";

/** A list of which only the rows near the visible area are in the page. The rows have no margins. */
export function VirtualList<Item extends object>(
	props: VirtualRowsOptions<Item> & {
		tag: "ol" | "ul";
		label?: string;
		/** Renders a row; it must be the same function as long as its rows would be the same. */
		renderRow: (item: Item) => ComponentChild;
		/** How many items there are before and after these, for screen readers. */
		itemsAround?: { readonly before: number; readonly after: number };
		/** Whether an item is not counted, like a heading. */
		isUncounted?: (item: Item) => boolean;
	},
) {
	const { tag: Tag, label, keyOf, renderRow, itemsAround, isUncounted } = props;
	const list = useRef<HTMLElement | null>(null);
	const setList = useCallback((element: HTMLElement | null) => {
		list.current = element;
	}, []);
	const items = useKept(props.items, keyOf);
	const { layout, shown, observe } = useVirtualRows({ ...props, items }, list);
	const positions = useMemo(() => countUp(items, isUncounted), [items, isUncounted]);
	const { before = 0, after = 0 } = itemsAround ?? {};
	const setSize = before + (positions.at(-1) ?? 0) + after;
	return (
		<Tag
			ref={setList}
			class="virtual-list"
			aria-label={label}
			style={{ height: `${topOf(layout.tops, items.length)}px` }}
		>
			{shown.map((at) => {
				const item = items[at];
				if (item === undefined) return null;
				const isCounted = isUncounted?.(item) !== true;
				return (
					<VirtualRow
						key={keyOf(item)}
						rowKey={keyOf(item)}
						item={item}
						renderRow={renderRow}
						top={topOf(layout.tops, at)}
						observe={observe}
						position={isCounted ? before + (positions[at] ?? 0) : undefined}
						setSize={isCounted ? setSize : undefined}
					/>
				);
			})}
		</Tag>
	);
}

/** The items, of which an unchanged one stays the earlier object. */
function useKept<Item extends object>(
	items: readonly Item[],
	keyOf: (item: Item) => string,
): readonly Item[] {
	const before = useRef<readonly Item[]>([]);
	return useMemo(() => {
		before.current = keepSame(before.current, items, keyOf);
		return before.current;
	}, [items, keyOf]);
}

function VirtualRow<Item>(props: {
	rowKey: string;
	item: Item;
	renderRow: (item: Item) => ComponentChild;
	top: number;
	observe: (row: HTMLElement, key: string) => () => void;
	position: number | undefined;
	setSize: number | undefined;
}) {
	const { rowKey, item, renderRow, top, observe, position, setSize } = props;
	const row = useRef<HTMLLIElement>(null);
	useLayoutEffect(() => (row.current === null ? undefined : observe(row.current, rowKey)), [observe, rowKey]);
	// Preact skips an element that is the same object as before.
	const content = useMemo(() => renderRow(item), [item, renderRow]);
	return (
		<li
			ref={row}
			class="virtual-row"
			style={{ top: `${top}px` }}
			aria-posinset={position}
			aria-setsize={setSize}
		>
			{content}
		</li>
	);
}

/** The position of each item among the counted ones. */
function countUp<Item>(items: readonly Item[], isUncounted?: (item: Item) => boolean): number[] {
	let count = 0;
	return items.map((item) => (isUncounted?.(item) ? count : ++count));
}
