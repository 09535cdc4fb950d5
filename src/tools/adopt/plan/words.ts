/** The words of a name in any style: `sendText`, `send_text`, `send-text`, `SendSMSText`. */
export function wordsOf(name: string): string[] {
	return name
		.replace(/([a-z\d])([A-Z])/g, "$1 $2")
		.replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter((word) => word !== "")
		.map(singular);
}

/** A name in lower case without separators. */
export function joined(name: string): string {
	return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function singular(word: string): string {
	return /[^sui]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}
