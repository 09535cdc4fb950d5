import { useCallback, useRef, useState } from "preact/hooks";
import type { Notice } from "../console-context.ts";

/** How long a notice stays; problems stay longer. */
const SHOWN_MS = { done: 4_000, problem: 12_000 } as const;

const MAX_NOTICES = 4;

/** The notices in view. */
export function useNotices() {
	const [notices, setNotices] = useState<readonly Notice[]>([]);
	const nextId = useRef(0);
	const dismiss = useCallback((id: number) => {
		setNotices((shown) => shown.filter((notice) => notice.id !== id));
	}, []);
	const notify = useCallback(
		(notice: Omit<Notice, "id">) => {
			const id = nextId.current++;
			setNotices((shown) => [...shown.slice(1 - MAX_NOTICES), { ...notice, id }]);
			setTimeout(() => dismiss(id), SHOWN_MS[notice.tone]);
		},
		[dismiss],
	);
	return { notices, notify, dismiss };
}
