import { useId } from "preact/hooks";
import { utf8 } from "../../../../library/signing/bytes.ts";
import { sha256Hex } from "../../../../library/signing/hash.ts";
import { prepareHashing } from "../../../../library/signing/prepare-hashing.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { BodyInput } from "../input/explain-input.ts";
import { readBody } from "../input/read-body.ts";
import { FileField } from "./file-field.tsx";

interface BodyFieldProps {
	readonly body: BodyInput;
	readonly onBody: (body: BodyInput) => void;
}

const MODES = [
	{ id: "text", title: "Text" },
	{ id: "base64", title: "Base64" },
	{ id: "file", title: "File" },
] as const;

/** The raw body: as text, or as base64 or a file, which keep every byte. */
export function BodyField({ body, onBody }: BodyFieldProps) {
	const id = useId();
	const { mode } = body;
	return (
		<div class="field">
			<div class="field-head">
				<span id={`${id}-title`}>Raw body</span>
				<BodyDigest body={body} />
			</div>
			<Tabs
				label="How the body is given"
				tabs={MODES}
				selected={mode}
				onSelect={(selected) => onBody({ ...body, mode: selected })}
			>
				{mode === "file" ? (
					<FileField file={body.file} onFile={(file) => onBody({ ...body, file })} />
				) : (
					<textarea
						class="code"
						dir="auto"
						rows={8}
						value={body[mode]}
						spellcheck={false}
						autoComplete="off"
						aria-invalid={mode === "base64" && "problem" in readBody(body)}
						aria-labelledby={`${id}-title`}
						aria-describedby={`${id}-about`}
						placeholder={mode === "text" ? '{"type":"inbound_message",…}' : "eyJ0eXBlIjoi…"}
						onInput={(event) => onBody({ ...body, [mode]: event.currentTarget.value })}
					/>
				)}
			</Tabs>
			<p id={`${id}-about`} class="hint">
				{HINTS[mode]}
			</p>
		</div>
	);
}

const HINTS = {
	text: "A text field turns CRLF into LF and cannot contain bytes that are not UTF-8. If that matters, give base64 or a file.",
	base64: 'Every byte is kept. On a receiver: Buffer.from(rawBody).toString("base64").',
	file: "Every byte is kept. The file is read in this page.",
} as const;

/** Length and hash, to compare with another hop. */
function BodyDigest({ body: input }: { body: BodyInput }) {
	const read = readBody(input);
	if ("problem" in read) return <span class="field-note to-the-end">{read.problem}</span>;
	const bytes = typeof read.body === "string" ? utf8(read.body) : read.body;
	if (bytes.length === 0) return <span class="field-note to-the-end">empty</span>;
	prepareHashing();
	const digest = sha256Hex(bytes);
	return (
		<span class="field-note to-the-end">
			{bytes.length.toLocaleString("en")} bytes, SHA-256 {digest.slice(0, 8)}…{" "}
			<CopyButton of="SHA-256 of the body" text={digest} />
		</span>
	);
}
