/** Where the command looks for a gateway that it is not told of. */
const DEFAULT_BASE_URL = "http://localhost:8080";

/** A line for a terminal that sends a message through this gateway. */
export function writeSendCommand(baseUrl: string): string {
	const target = baseUrl === DEFAULT_BASE_URL ? "" : ` --base-url ${baseUrl}`;
	return `npx messaging-gateway send --to +15551234567 --text Hello${target}`;
}
