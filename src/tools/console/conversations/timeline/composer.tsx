import { useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { IconButton } from "../controls.tsx";
import { AttachedFiles, useAttachedFiles } from "./attached-files.tsx";

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
		<form
			class="composer"
			onSubmit={(event) => {
				event.preventDefault();
				void send();
			}}
		>
			<Persona {...props} />
			<AttachedFiles files={files} onRemove={remove} />
			<div class="composer-line">
				<AttachButton onFiles={attach} />
				<textarea
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
		</form>
	);
}

function Persona({
	conversation,
	persona,
	onPersona,
}: Pick<ComposerProps, "conversation" | "persona" | "onPersona">) {
	if (conversation.contacts.length < 2) return <p class="muted">Writing as {persona}</p>;
	return (
		<label class="muted">
			Writing as{" "}
			<select value={persona} onChange={(event) => onPersona(event.currentTarget.value)}>
				{conversation.contacts.map((number) => (
					<option key={number}>{number}</option>
				))}
			</select>
		</label>
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
