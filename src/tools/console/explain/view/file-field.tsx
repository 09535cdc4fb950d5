import { useId } from "preact/hooks";
import type { BodyInput } from "../input/explain-input.ts";

interface FileFieldProps {
	readonly file: BodyInput["file"];
	readonly onFile: (file: BodyInput["file"]) => void;
}

/** A field to choose or drop a file. */
export function FileField({ file, onFile }: FileFieldProps) {
	const id = useId();
	const read = async (chosen: File | undefined): Promise<void> => {
		if (chosen === undefined) return;
		onFile({ name: chosen.name, bytes: new Uint8Array(await chosen.arrayBuffer()) });
	};
	return (
		<div class="field">
			<label for={id}>
				{file === undefined ? "Choose a file, or drop it on the field" : `${file.name} is read`}
			</label>
			<input
				id={id}
				class="drop"
				type="file"
				onChange={(event) => void read(event.currentTarget.files?.[0])}
			/>
		</div>
	);
}
