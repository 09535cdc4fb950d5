import { IconButton } from "../controls.tsx";
import type { AttachedFile } from "../hooks/use-attached-files.ts";
import { Icon } from "../icons.tsx";
import { describeSize } from "../state/attachment-facts.ts";

/** The files attached to the next message. */
export function AttachedFiles({
	files,
	onRemove,
}: {
	files: readonly AttachedFile[];
	onRemove: (id: number) => void;
}) {
	if (files.length === 0) return null;
	return (
		<ul class="attached-files" aria-label="Attached files">
			{files.map(({ id, name, size }) => (
				<li key={id} class="chip">
					<Icon name="file" />
					<bdi>{name}</bdi>
					<small class="muted">{describeSize(size)}</small>
					<IconButton icon="close" label={`Remove ${name}`} onClick={() => onRemove(id)} />
				</li>
			))}
		</ul>
	);
}
