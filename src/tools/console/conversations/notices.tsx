import { useCallback, useRef, useState } from "preact/hooks";
import { IconButton } from "./controls.tsx";
import { Icon } from "./icons.tsx";

interface Notice {
	readonly id: number;
	readonly text: string;
}

const SHOWN_MS = 12_000;

const MAX_NOTICES = 4;

export function useNotices() {
	const [notices, setNotices] = useState<readonly Notice[]>([]);
	const nextId = useRef(0);
	const dismiss = useCallback((id: number) => {
		setNotices((shown) => shown.filter((notice) => notice.id !== id));
	}, []);
	const notify = useCallback(
		(text: string) => {
			const id = nextId.current++;
			setNotices((shown) => [...shown.slice(1 - MAX_NOTICES), { id, text }]);
			setTimeout(() => dismiss(id), SHOWN_MS);
		},
		[dismiss],
	);
	return { notices, notify, dismiss };
}

/** Why something failed. */
export function Notices(props: { notices: readonly Notice[]; onDismiss: (id: number) => void }) {
	return (
		<div class="notices" role="status">
			{props.notices.map(({ id, text }) => (
				<div key={id} class="notice-card beside event-bad">
					<Icon name="failed" label="Problem" />
					<span class="grow">{text}</span>
					<IconButton icon="close" label="Dismiss" onClick={() => props.onDismiss(id)} />
				</div>
			))}
		</div>
	);
}
