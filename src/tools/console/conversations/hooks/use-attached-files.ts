import { useRef, useState } from "preact/hooks";
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

/**
 * The files attached to the next message, read as soon as they are chosen.
 * @param maxBytes - the largest that the gateway accepts.
 */
export function useAttachedFiles(maxBytes: number) {
	const { notify } = useConsole();
	const [files, setFiles] = useState<readonly AttachedFile[]>([]);
	const nextId = useRef(0);
	const attach = async (chosen: readonly File[]): Promise<void> => {
		for (const file of chosen) {
			const problem = findFileProblem(file, maxBytes);
			if (problem !== undefined) {
				notify({ tone: "problem", text: problem });
				continue;
			}
			const encoded = { id: nextId.current++, ...(await encodeFile(file)) };
			setFiles((attached) => [...attached, encoded]);
		}
	};
	const remove = (id: number): void => {
		setFiles((attached) => attached.filter((file) => file.id !== id));
	};
	return { files, attach, remove };
}
