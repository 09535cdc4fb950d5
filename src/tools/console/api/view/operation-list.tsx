import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ApiDocument, ApiOperation, OperationGroup } from "../document/api-document.ts";
import { MethodBadge } from "./badges.tsx";

interface OperationListProps {
	readonly document: ApiDocument;
	readonly selectedId: string;
}

/** All operations by tag, with a filter. On a narrow screen the list is collapsed. */
export function OperationList({ document: apiDocument, selectedId }: OperationListProps) {
	const [filter, setFilter] = useState("");
	const [isOpen, setIsOpen] = useState(false);
	const content = useRef<HTMLDivElement>(null);
	// After following a link, show the operation in the list.
	useEffect(() => {
		content.current
			?.querySelector(`[href="#${CSS.escape(selectedId)}"]`)
			?.scrollIntoView({ block: "nearest" });
	}, [selectedId]);
	const listId = useId();
	const filterId = useId();
	const groups = filterGroups(apiDocument.groups, filter);
	const count = groups.reduce((sum, { operations }) => sum + operations.length, 0);
	const openFirst = (event: KeyboardEvent): void => {
		const [first] = groups.flatMap(({ operations }) => operations);
		if (event.key !== "Enter" || first === undefined) return;
		location.hash = first.id;
		setIsOpen(false);
	};
	return (
		<aside class={isOpen ? "operations open" : "operations"}>
			<button type="button" class="skip" onClick={() => document.querySelector("h1")?.focus()}>
				Skip to the operation
			</button>
			<button
				type="button"
				class="operations-toggle"
				aria-expanded={isOpen}
				aria-controls={listId}
				onClick={() => setIsOpen(!isOpen)}
			>
				<span>All operations</span>
				<span class="muted">
					{isOpen ? "close" : selectedId} <Chevron isUp={isOpen} />
				</span>
			</button>
			<div id={listId} class="operations-content" ref={content}>
				<label class="visually-hidden" for={filterId}>
					Filter operations by name, path or summary
				</label>
				<input
					id={filterId}
					type="search"
					placeholder="Filter operations"
					value={filter}
					onInput={(event) => setFilter(event.currentTarget.value)}
					onKeyDown={openFirst}
				/>
				<p class="visually-hidden" role="status">
					{filter === "" ? "" : `${count} operations`}
				</p>
				<nav class="operations-nav" aria-label="Operations">
					{groups.map(({ name, operations }) => (
						<section key={name}>
							<h2 class="operations-tag">{name}</h2>
							<ul class="operations-list">
								{operations.map((operation) => (
									<li key={operation.id}>
										<a
											class="operation-link"
											href={`#${operation.id}`}
											aria-current={operation.id === selectedId ? "page" : undefined}
											onClick={() => setIsOpen(false)}
										>
											<MethodBadge method={operation.method} />
											{shortName(operation)}
										</a>
									</li>
								))}
							</ul>
						</section>
					))}
					{count === 0 && <p class="muted">No operation has “{filter}” in its name, path or summary.</p>}
				</nav>
			</div>
		</aside>
	);
}

function Chevron({ isUp }: { isUp: boolean }) {
	return (
		<svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
			<path d={isUp ? "M1 7 5 3l4 4" : "M1 3l4 4 4-4"} fill="none" stroke="currentColor" stroke-width="1.5" />
		</svg>
	);
}

/** The name without the area, which is the heading above it. */
function shortName({ id }: ApiOperation): string {
	return id.slice(id.lastIndexOf(".") + 1);
}

function filterGroups(groups: readonly OperationGroup[], filter: string): OperationGroup[] {
	const words = filter.toLowerCase().split(/\s+/);
	const isWanted = ({ id, method, path, summary }: ApiOperation): boolean => {
		const searched = `${id} ${method} ${path} ${summary}`.toLowerCase();
		return words.every((word) => searched.includes(word));
	};
	return groups
		.map((group) => ({ ...group, operations: group.operations.filter(isWanted) }))
		.filter(({ operations }) => operations.length > 0);
}
