import { useCallback, useRef, useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";
import { encodeFile, findFileProblem } from "../encode-file.ts";

/** A file attached to the next message. */
export interface AttachedFile {
	readonly id: number;
	readonly name: string;
	readonly mimeType: string;
	readonly size: number;
	/** Its bytes in base64. */
	readonly data: string;
}

/** The files attached to the next message, read as soon as they are chosen. */
export function useAttachedFiles() {
	const { notify } = useConsole();
	const [files, setFiles] = useState<readonly AttachedFile[]>([]);
	const nextId = useRef(0);
	const attachedBytes = files.reduce((sum, { size }) => sum + size, 0);
	const attach = async (chosen: readonly File[]): Promise<void> => {
		let totalBytes = attachedBytes;
		for (const file of chosen) {
			const problem = findFileProblem(file, totalBytes);
			if (problem !== undefined) {
				notify({ tone: "problem", text: problem });
				continue;
			}
			totalBytes += file.size;
			const encoded = { id: nextId.current++, ...(await encodeFile(file)) };
			setFiles((attached) => [...attached, encoded]);
		}
	};
	const remove = useCallback((id: number) => {
		setFiles((attached) => attached.filter((file) => file.id !== id));
	}, []);
	const clear = useCallback(() => setFiles([]), []);
	return { files, attach, remove, clear };
}
