/** A command to copy. With the address it reaches this gateway, whatever else runs beside it. */
export function writeCommand(words: string, baseUrl: string): string {
	return `npx messaging-gateway ${words} --base-url ${toShellWord(baseUrl)}`;
}

/** One word of a shell, as it stands or quoted: an e-mail address may have characters that a shell runs. */
export function toShellWord(word: string): string {
	return /^[\w@.+:/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
