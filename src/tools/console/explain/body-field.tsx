import { encodeBase64 } from "../../../library/signing/base64.ts";
import { utf8 } from "../../../library/signing/bytes.ts";
import { sha256Hex } from "../../../library/signing/hash.ts";
import { prepareHashing } from "../../../library/signing/prepare-hashing.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Check, TextField } from "../parts/fields.tsx";
import { type BodyInput, readBody } from "./explain-input.ts";

/** A raw body: as text, or as base64 or a file, which keep every byte. */
export function BodyField(props: { body: BodyInput; onBody: (body: BodyInput) => void }) {
	const { body, onBody } = props;
	const { text, isBase64 } = body;
	const readFile = async (file: File | undefined): Promise<void> => {
		if (file === undefined) return;
		onBody({ text: encodeBase64(new Uint8Array(await file.arrayBuffer())), isBase64: true });
	};
	return (
		<div class="stack">
			<TextField
				label="Raw body"
				rows={7}
				value={text}
				onInput={(value) => onBody({ ...body, text: value })}
				isInvalid={readBody(body) === undefined}
				placeholder={isBase64 ? "eyJ0eXBlIjoi…" : '{"type":"inbound_message",…}'}
				hint="As the receiver got it. A text field turns CRLF into LF and cannot contain bytes that are not UTF-8; base64 and a file keep every byte."
			/>
			<div class="line">
				<Check isOn={isBase64} onChange={(isOn) => onBody({ ...body, isBase64: isOn })}>
					In base64
				</Check>
				<input
					type="file"
					aria-label="Read a file"
					onChange={(event) => void readFile(event.currentTarget.files?.[0])}
				/>
				<BodyDigest body={body} />
			</div>
		</div>
	);
}

/** Length and hash, to compare with another hop. */
function BodyDigest({ body }: { body: BodyInput }) {
	const read = readBody(body);
	if (read === undefined) return <span class="bad">This is not base64.</span>;
	const bytes = typeof read === "string" ? utf8(read) : read;
	if (bytes.length === 0) return null;
	prepareHashing();
	const digest = sha256Hex(bytes);
	return (
		<span class="muted">
			{bytes.length.toLocaleString("en")} bytes, SHA-256 {digest.slice(0, 8)}…{" "}
			<CopyButton of="SHA-256 of the body" text={digest} />
		</span>
	);
}
