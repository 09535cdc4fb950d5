/** The command's default for `--base-url`. */
const DEFAULT_BASE_URL = "http://localhost:8080";

/** Writes the command that sends a message through this gateway. */
export function writeSendCommand(baseUrl: string): string {
	const target = baseUrl === DEFAULT_BASE_URL ? "" : ` --base-url ${baseUrl}`;
	return `npx messaging-gateway send --to +15551234567 --text Hello${target}`;
}
