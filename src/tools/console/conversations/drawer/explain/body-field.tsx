import { useId, useMemo } from "preact/hooks";
import { utf8 } from "../../../../../library/signing/bytes.ts";
import { sha256Hex } from "../../../../../library/signing/hash.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { TextField } from "../../../parts/fields.tsx";
import { Tabs } from "../../../parts/tabs.tsx";
import { useConsole } from "../../console-context.ts";
import { type BodyInput, NO_BODY } from "./body-input.ts";

const FORMS = { text: "Text", base64: "Base64", file: "File" } as const;

/** The body that the receiver got: as text, or as base64 or a file, which keep every byte. */
export function BodyField(props: {
	body: BodyInput;
	onBody: (body: BodyInput) => void;
	problem: string | undefined;
}) {
	const { body, onBody, problem } = props;
	const { form, text } = body;
	return (
		<Tabs
			label="Form of the body"
			tabs={FORMS}
			selected={form}
			onSelect={(selected) => onBody({ ...NO_BODY, form: selected, text })}
		>
			{form === "file" ? (
				<FileField onFile={(file) => onBody({ ...body, file })} />
			) : (
				<TextField
					label="Body that the receiver got"
					rows={4}
					value={text}
					onInput={(value) => onBody({ ...body, text: value })}
					isInvalid={problem !== undefined}
					hint={
						problem ??
						(form === "text" ? "CRLF becomes LF here. Base64 and a file keep all bytes." : undefined)
					}
				/>
			)}
		</Tabs>
	);
}

function FileField({ onFile }: { onFile: (file: Uint8Array | undefined) => void }) {
	const { attempt } = useConsole();
	const id = useId();
	const read = async (file: File | undefined): Promise<void> =>
		onFile(file && new Uint8Array(await file.arrayBuffer()));
	return (
		<div class="field">
			<label for={id} class="field-head">
				Body that the receiver got
			</label>
			<input
				id={id}
				type="file"
				onChange={({ currentTarget: { files } }) => void attempt(() => read(files?.[0]))}
			/>
		</div>
	);
}

/** Length and hash, to compare with another hop. */
export function BodyDigest({ of, body }: { of: "Sent" | "Received"; body: string | Uint8Array }) {
	const { length, digest } = useMemo(() => {
		const bytes = typeof body === "string" ? utf8(body) : body;
		return { length: bytes.length, digest: sha256Hex(bytes) };
	}, [body]);
	return (
		<p class="hint">
			{of}: {length.toLocaleString("en")} bytes, SHA-256 {digest.slice(0, 8)}…{" "}
			<CopyButton of={`SHA-256 of the ${of.toLowerCase()} body`} text={digest} />
		</p>
	);
}
