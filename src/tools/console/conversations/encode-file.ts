import { describeSize } from "./state/attachment-facts.ts";

/** Used if the browser does not know the type. */
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

/** Encodes a file's bytes in base64. */
export async function encodeFile(file: File) {
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
