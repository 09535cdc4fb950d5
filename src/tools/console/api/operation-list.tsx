import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ApiDocument, ApiOperation, Method, OperationGroup } from "./document/api-document.ts";

/** All operations by area, with a filter. On a narrow screen the list is collapsed. */
export function OperationList(props: { document: ApiDocument; selectedId: string }) {
	const { selectedId } = props;
	const [filter, setFilter] = useState("");
	const [isOpen, setIsOpen] = useState(false);
	const content = useRef<HTMLDivElement>(null);
	// After following a link, show the operation in the list.
	useEffect(() => {
		content.current
			?.querySelector(`[href="#${CSS.escape(selectedId)}"]`)
			?.scrollIntoView({ block: "nearest" });
	}, [selectedId]);
	const id = useId();
	const groups = filterGroups(props.document.groups, filter);
	const found = groups.flatMap(({ operations }) => operations);
	const openFirst = (event: KeyboardEvent): void => {
		const [first] = found;
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
				aria-controls={id}
				onClick={() => setIsOpen(!isOpen)}
			>
				<span>All operations</span>
				<span class="muted">{isOpen ? "close ▴" : `${selectedId} ▾`}</span>
			</button>
			<div id={id} class="operations-content" ref={content}>
				<input
					type="search"
					aria-label="Filter operations by name, path or summary"
					placeholder="Filter operations"
					value={filter}
					onInput={(event) => setFilter(event.currentTarget.value)}
					onKeyDown={openFirst}
				/>
				<p class="visually-hidden" role="status">
					{filter === "" ? "" : `${found.length} operations`}
				</p>
				<nav class="operations-nav" aria-label="Operations">
					{groups.map(({ name, operations }) => (
						<section key={name}>
							<h2>{name}</h2>
							<ul>
								{operations.map((operation) => (
									<li key={operation.id}>
										<a
											class="beside"
											href={`#${operation.id}`}
											aria-current={operation.id === selectedId ? "page" : undefined}
											onClick={() => setIsOpen(false)}
										>
											<MethodBadge method={operation.method} />
											{operation.id.slice(operation.id.lastIndexOf(".") + 1)}
										</a>
									</li>
								))}
							</ul>
						</section>
					))}
					{found.length === 0 && (
						<p class="muted">No operation has “{filter}” in its name, path or summary.</p>
					)}
				</nav>
			</div>
		</aside>
	);
}

const TONES = { GET: "method-get", POST: "good", PUT: "warn", PATCH: "warn", DELETE: "bad" } as const;

export function MethodBadge({ method }: { method: Method }) {
	return <code class={`method ${TONES[method]}`}>{method}</code>;
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
