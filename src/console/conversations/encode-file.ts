import { describeSize } from "./state/attachment-facts.ts";

/** The same as in the catalogue, whose import would also bundle the schemas. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** The total size of one message's files: the gateway accepts 16 MiB of JSON, and base64 adds a third. */
const MAX_TOTAL_BYTES = 11.5 * 1024 * 1024;

/** Used if the browser does not know the type. */
const UNKNOWN_TYPE = "application/octet-stream";

/** Explains why a file cannot be attached; `undefined` if it can. */
export function findFileProblem(
	{ name, size }: Pick<File, "name" | "size">,
	attachedBytes: number,
): string | undefined {
	if (size === 0) return `${name} is empty.`;
	if (size > MAX_FILE_BYTES) {
		return `${name} has ${describeSize(size)}; an attachment may have up to ${describeSize(MAX_FILE_BYTES)}.`;
	}
	if (attachedBytes + size <= MAX_TOTAL_BYTES) return undefined;
	return `With ${name} the message would have ${describeSize(attachedBytes + size)}; send it in a separate message.`;
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
