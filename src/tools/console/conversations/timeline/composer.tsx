import { useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../../control/contract.ts";
import { ActionForm } from "../../parts/fields.tsx";
import { useConsole } from "../console-context.ts";
import { Choice, IconButton } from "../controls.tsx";
import { Icon } from "../icons.tsx";
import { describeSize } from "./attachment.tsx";

interface ComposerProps {
	readonly conversation: ConversationView;
	readonly persona: string;
	readonly onPersona: (number: string) => void;
	readonly drafts: Map<string, string>;
	readonly maxFileBytes: number;
}

/** The form to write as the contact. Enter sends; Shift and Enter start a new line. */
export function Composer(props: ComposerProps) {
	const { conversation, persona, drafts, maxFileBytes } = props;
	const { act } = useConsole();
	const readDraft = (): string => drafts.get(conversation.key) ?? "";
	const [text, setText] = useState(readDraft);
	const [isSending, setIsSending] = useState(false);
	const { files, attach, remove } = useAttachedFiles(maxFileBytes);
	const isEmpty = text.trim() === "" && files.length === 0;
	const write = (value: string): void => {
		drafts.set(conversation.key, value);
		setText(value);
	};
	const send = async (): Promise<void> => {
		if (isEmpty || isSending) return;
		setIsSending(true);
		const isSent = await act({
			type: "reply",
			from: persona,
			text,
			groupId: conversation.groupId ?? undefined,
			attachments: files.map(({ name, mimeType, data }) => ({ name, mimeType, data })),
		});
		setIsSending(false);
		if (!isSent) return;
		// What was written or attached since is for the next message.
		const draft = readDraft();
		if (draft.startsWith(text)) write(draft.slice(text.length));
		for (const { id } of files) remove(id);
	};
	return (
		<ActionForm class="composer" onSubmit={() => void send()}>
			<Persona {...props} />
			<AttachedFiles files={files} onRemove={remove} />
			<div class="composer-line beside">
				<AttachButton onFiles={attach} />
				<textarea
					class="grow"
					rows={1}
					dir="auto"
					aria-label={`Write as ${persona}`}
					placeholder="Write a message"
					value={text}
					onInput={(event) => write(event.currentTarget.value)}
					onPaste={({ clipboardData }) => attach([...(clipboardData?.files ?? [])])}
					onKeyDown={(event) => {
						// During IME composition, Enter confirms the composition.
						if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
						event.preventDefault();
						void send();
					}}
				/>
				<button type="submit" class="primary" disabled={isEmpty || isSending}>
					Send
				</button>
			</div>
		</ActionForm>
	);
}

function Persona({ conversation: { contacts }, persona, onPersona }: ComposerProps) {
	if (contacts.length < 2) return <p class="muted">Writing as {persona}</p>;
	return (
		<p class="muted">
			Writing as <Choice label="Writing as" options={contacts} value={persona} onValue={onPersona} />
		</p>
	);
}

function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<IconButton icon="attach" label="Attach files" onClick={() => input.current?.click()} />
			<input
				ref={input}
				type="file"
				multiple
				hidden
				aria-label="Files to attach"
				onChange={({ currentTarget }) => {
					onFiles([...(currentTarget.files ?? [])]);
					// Allows choosing the same file again.
					currentTarget.value = "";
				}}
			/>
		</>
	);
}

interface ChosenFile {
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
function useAttachedFiles(maxBytes: number) {
	const { notify } = useConsole();
	const [files, setFiles] = useState<readonly ChosenFile[]>([]);
	const nextId = useRef(0);
	const attach = async (chosen: readonly File[]): Promise<void> => {
		for (const file of chosen) {
			const problem = findFileProblem(file, maxBytes);
			if (problem !== undefined) {
				notify(problem);
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

function AttachedFiles(props: { files: readonly ChosenFile[]; onRemove: (id: number) => void }) {
	const { files, onRemove } = props;
	if (files.length === 0) return null;
	return (
		<ul class="actions" aria-label="Attached files">
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
