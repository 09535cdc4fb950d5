import { useCallback, useRef, useState } from "preact/hooks";
import type { Notice } from "./console-context.ts";
import { IconButton } from "./controls.tsx";
import { Icon } from "./icons.tsx";

interface ShownNotice extends Notice {
	readonly id: number;
}

const SHOWN_MS = { done: 4_000, problem: 12_000 } as const;

const MAX_NOTICES = 4;

export function useNotices() {
	const [notices, setNotices] = useState<readonly ShownNotice[]>([]);
	const nextId = useRef(0);
	const dismiss = useCallback((id: number) => {
		setNotices((shown) => shown.filter((notice) => notice.id !== id));
	}, []);
	const notify = useCallback(
		(notice: Notice) => {
			const id = nextId.current++;
			setNotices((shown) => [...shown.slice(1 - MAX_NOTICES), { ...notice, id }]);
			setTimeout(() => dismiss(id), SHOWN_MS[notice.tone]);
		},
		[dismiss],
	);
	return { notices, notify, dismiss };
}

export function Notices(props: { notices: readonly ShownNotice[]; onDismiss: (id: number) => void }) {
	return (
		<div class="notices stack" role="status" aria-live="polite">
			{props.notices.map(({ id, tone, text }) => (
				<div key={id} class={`notice-card beside notice-${tone}`}>
					<Icon name={tone === "done" ? "check" : "failed"} label={tone === "done" ? "Done" : "Problem"} />
					<span class="grow">{text}</span>
					<IconButton icon="close" label="Dismiss" onClick={() => props.onDismiss(id)} />
				</div>
			))}
		</div>
	);
}
