import { useRef, useState } from "preact/hooks";
import type { Connection, FinishedCall, MakeCall } from "../call/make-call.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { RequestContent } from "../form/read-draft.ts";

/** The last call of each operation, and the call in progress. */
export interface Calls {
	readonly finished: Readonly<Record<string, FinishedCall>>;
	/** The operation of the call in progress. */
	readonly sendingId: string | undefined;
	readonly start: (operation: ApiOperation, content: RequestContent, connection: Connection) => void;
	readonly cancel: () => void;
}

/** Makes one call at a time, because the recorder cannot separate concurrent requests. */
export function useCalls(makeCall: MakeCall): Calls {
	const [finished, setFinished] = useState<Readonly<Record<string, FinishedCall>>>({});
	const [sendingId, setSendingId] = useState<string>();
	const controller = useRef<AbortController | undefined>(undefined);
	return {
		finished,
		sendingId,
		start(operation, content, connection) {
			if (controller.current !== undefined) return;
			controller.current = new AbortController();
			setSendingId(operation.id);
			void makeCall(operation, content, connection, controller.current.signal).then((call) => {
				controller.current = undefined;
				setSendingId(undefined);
				setFinished((earlier) => ({ ...earlier, [operation.id]: call }));
			});
		},
		cancel() {
			controller.current?.abort();
		},
	};
}
