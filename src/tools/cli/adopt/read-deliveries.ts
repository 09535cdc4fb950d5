import { isJsonObject } from "../../../library/is-object.ts";
import type { SavedDelivery } from "../../adopt/events/check-deliveries.ts";
import { usageError } from "../failure.ts";
import { parseHttpMessage } from "../http-message.ts";
import { readInputFile } from "../read-input.ts";

/**
 * Reads saved deliveries: the raw JSON body, or headers, an empty line and the body, as `verify webhook` takes them.
 * @throws CommandFailure for a file without a JSON body.
 */
export async function readDeliveries(files: readonly string[]): Promise<SavedDelivery[]> {
	const saved: SavedDelivery[] = [];
	for (const file of files) saved.push(await readDelivery(file));
	return saved;
}

async function readDelivery(file: string): Promise<SavedDelivery> {
	const bytes = await readInputFile(file);
	const isBody = /^\uFEFF?\s*[[{]/.test(bytes.toString());
	const body = isBody ? bytes : bodyOf(bytes);
	const payload = parseJson(body);
	if (isJsonObject(payload)) return { file, body, payload };
	if (Array.isArray(payload)) return { file, body, payload: undefined };
	throw usageError(
		`${file} has no JSON body`,
		"Give the raw body of a delivery, or its headers, an empty line and the raw body.",
	);
}

/** The body of a saved message; empty for what is none. */
function bodyOf(bytes: Uint8Array): Uint8Array {
	try {
		return parseHttpMessage(bytes).body;
	} catch {
		// Its message quotes the file.
		return new Uint8Array();
	}
}

function parseJson(body: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder().decode(body));
	} catch {
		// Reported by the caller: the parser's message quotes the body.
		return undefined;
	}
}
