import { describeSize } from "./state/attachment-facts.ts";

/** As the catalogue has it; from there it would bring the schemas, which the page has no use for. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** What the files of one message may have together: the gateway takes 16 MiB of JSON, and base64 adds a third. */
const MAX_TOTAL_BYTES = 11.5 * 1024 * 1024;

/** What the type says where the browser knows none. */
const UNKNOWN_TYPE = "application/octet-stream";

/** Why a file cannot go with the ones that are attached already, in words; `undefined` where it can. */
export function findFileProblem(
	{ name, size }: Pick<File, "name" | "size">,
	attachedBytes: number,
): string | undefined {
	if (size === 0) return `${name} is empty.`;
	if (size > MAX_FILE_BYTES) {
		return `${name} has ${describeSize(size)}; an attachment may have up to ${describeSize(MAX_FILE_BYTES)}.`;
	}
	if (attachedBytes + size <= MAX_TOTAL_BYTES) return undefined;
	return `With ${name} the message would have ${describeSize(attachedBytes + size)}; send it in one of its own.`;
}

/** A file as it travels, its bytes in base64. */
export async function encodeFile(file: File) {
	const { name, size } = file;
	// Without parameters, such as `;codecs=opus`: the gateway takes the bare type.
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
