import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import process from "node:process";

/** The platform, variables and home folder that decide the path. */
export interface Surroundings {
	readonly platform: NodeJS.Platform;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly home: string;
}

const NAME = "messaging-gateway";

/**
 * Returns the folder for the user's state, by the platform's convention.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function stateFolder(
	{ platform, environment, home }: Surroundings = {
		platform: process.platform,
		environment: process.env,
		home: homedir(),
	},
): string {
	const { LOCALAPPDATA: localAppData, XDG_STATE_HOME: stateHome = "" } = environment;
	if (platform === "win32") return win32.join(localAppData || win32.join(home, "AppData", "Local"), NAME);
	if (platform === "darwin") return posix.join(home, "Library", "Application Support", NAME);
	return posix.join(posix.isAbsolute(stateHome) ? stateHome : posix.join(home, ".local", "state"), NAME);
}
