import { Prose } from "../../parts/prose.tsx";
import type { ApiOperation } from "../document/api-document.ts";
import { MethodBadge, ProvenanceBadge } from "./badges.tsx";

/** The name, route, description and provenance of an operation. */
export function OperationHeader({ operation }: { operation: ApiOperation }) {
	const { id, method, path, summary, description, provenance, isSigned } = operation;
	return (
		<header class="operation-header">
			<h1 tabIndex={-1}>{id}</h1>
			<p class="route">
				<MethodBadge method={method} /> <code>{path}</code>
				<ProvenanceBadge provenance={provenance} />
				{!isSigned && <span class="badge">not signed</span>}
			</p>
			<p>
				<Prose text={summary} />
			</p>
			<p class="hint">
				<Prose text={description} />
			</p>
		</header>
	);
}
