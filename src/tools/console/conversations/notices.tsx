import type { Notice } from "./console-context.ts";
import { IconButton } from "./controls.tsx";
import { Icon } from "./icons.tsx";

/** The short notices, announced to screen readers. */
export function Notices({
	notices,
	onDismiss,
}: {
	notices: readonly Notice[];
	onDismiss: (id: number) => void;
}) {
	return (
		<div class="notices" role="status" aria-live="polite">
			{notices.map(({ id, tone, text }) => (
				<div key={id} class={`notice-card ${tone}`}>
					<Icon name={tone === "done" ? "check" : "failed"} label={tone === "done" ? "Done" : "Problem"} />
					<span>{text}</span>
					<IconButton icon="close" label="Dismiss" onClick={() => onDismiss(id)} />
				</div>
			))}
		</div>
	);
}
