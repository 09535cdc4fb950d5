import { useRef, useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";
import { IconButton } from "../controls.tsx";
import { Icon } from "../icons.tsx";
import { describeSize } from "../state/attachment-facts.ts";

interface AttachedFile {
	readonly id: number;
	readonly name: string;
	readonly mimeType: string;
	readonly size: number;
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

export function AttachedFiles(props: { files: readonly AttachedFile[]; onRemove: (id: number) => void }) {
	const { files, onRemove } = props;
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

const UNKNOWN_TYPE = "application/octet-stream";

/** Explains why a file cannot be attached; `undefined` if it can. */
export function findFileProblem(
	{ name, size }: Pick<File, "name" | "size">,
	maxBytes: number,
): string | undefined {
	if (size === 0) return `${name} is empty.`;
	if (size <= maxBytes) return undefined;
	return `${name} has ${describeSize(size)}; an attachment may have up to ${describeSize(maxBytes)}.`;
}

async function encodeFile(file: File) {
	const { name, size } = file;
	// Without parameters such as `;codecs=opus`, which the gateway does not accept.
	const mimeType = file.type.split(";")[0]?.trim() || UNKNOWN_TYPE;
	return { name, size, mimeType, data: await toBase64(file) };
}

/** Through a data URL, which the browser encodes natively. */
function toBase64(file: File): Promise<string> {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
		reader.onerror = () => reject(reader.error);
		reader.readAsDataURL(file);
	});
}
