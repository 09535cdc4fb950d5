import type { Method, Provenance } from "../document/api-document.ts";

/** The method of an operation, in its colour. */
export function MethodBadge({ method }: { method: Method }) {
	return <span class={`method method-${method.toLowerCase()}`}>{method}</span>;
}

/** Whether the specification documents an operation, or it is assumed. */
export function ProvenanceBadge({ provenance: { isKnown, reason } }: { provenance: Provenance }) {
	const section = /section ([\d.]*\d)/.exec(reason)?.[1];
	return (
		<span class={isKnown ? "badge badge-good" : "badge badge-warn"} title={reason}>
			{isKnown ? `known${section === undefined ? "" : ` (${section})`}` : "assumed"}
		</span>
	);
}
