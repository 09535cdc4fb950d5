/**
 * Writes the payload of a webhook as no serializer does, so that a receiver which verifies JSON that it wrote again instead
 * of the raw bytes fails here, as it would with the real gateway (specification, section 6.1). The spaces are uneven, and
 * one letter is escaped: in the `chatGuid`, which every documented payload has and no receiver interprets, else in the
 * last value that has a letter, else in the last name. Equal payloads have equal bytes.
 */
export function writeDeliveredJson(payload: object): string {
	// Strings of JSON hold no raw line feed, so each one belongs to the layout.
	const even = JSON.stringify(payload, undefined, 1).replace(/,\n */g, ", ").replace(/\n */g, "");
	const json = even.replace(/^[{[]/, "$& ");
	const at = chooseLetter(json);
	if (at === undefined) return json;
	const escaped = `\\u${json.charCodeAt(at).toString(16).padStart(4, "0")}`;
	return json.slice(0, at) + escaped + json.slice(at + 1);
}

function chooseLetter(json: string): number | undefined {
	let inValue: number | undefined;
	let inName: number | undefined;
	let isChat = false;
	for (const { start, letter, end } of stringsOf(json)) {
		const isName = json[end] === ":";
		if (isChat && !isName && letter !== undefined) return letter;
		isChat = isName && json.slice(start, end) === '"chatGuid"';
		if (isName) inName = letter ?? inName;
		else inValue = letter ?? inValue;
	}
	return inValue ?? inName;
}

/** Where a string of JSON begins and ends, with its quotes, and its first letter that belongs to no escape. */
interface JsonString {
	readonly start: number;
	readonly letter: number | undefined;
	readonly end: number;
}

function* stringsOf(json: string): Generator<JsonString> {
	for (let start = json.indexOf('"'); start >= 0; ) {
		let letter: number | undefined;
		let at = start + 1;
		for (; json[at] !== '"'; at++) {
			if (json[at] === "\\") at += json[at + 1] === "u" ? 5 : 1;
			else if (letter === undefined && isLetter(json.charCodeAt(at))) letter = at;
		}
		yield { start, letter, end: at + 1 };
		start = json.indexOf('"', at + 1);
	}
}

function isLetter(code: number): boolean {
	const lower = code | 0x20;
	return lower >= 0x61 && lower <= 0x7a;
}
