import { stateFolder } from "../../../../src/tools/cli/credentials/state-folder.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

const FOLDERS: Outcomes<readonly [NodeJS.Platform, environment: Record<string, string>]> = {
	"/home/me/.local/state/messaging-gateway": {
		"Linux without XDG_STATE_HOME": ["linux", {}],
		"Linux with an empty XDG_STATE_HOME": ["linux", { XDG_STATE_HOME: "" }],
		"a relative XDG_STATE_HOME, which the XDG specification has ignored": [
			"linux",
			{ XDG_STATE_HOME: "state" },
		],
		"Linux with the folder of Windows": ["linux", { LOCALAPPDATA: "/local" }],
	},
	"/state/messaging-gateway": {
		"Linux with XDG_STATE_HOME": ["linux", { XDG_STATE_HOME: "/state" }],
		"FreeBSD with XDG_STATE_HOME": ["freebsd", { XDG_STATE_HOME: "/state" }],
	},
	"/home/me/Library/Application Support/messaging-gateway": {
		"macOS, whatever XDG_STATE_HOME": ["darwin", { XDG_STATE_HOME: "/state" }],
	},
	"C:\\Users\\me\\Local\\messaging-gateway": {
		"Windows with LOCALAPPDATA": ["win32", { LOCALAPPDATA: "C:\\Users\\me\\Local" }],
	},
	"\\home\\me\\AppData\\Local\\messaging-gateway": {
		"Windows without LOCALAPPDATA": ["win32", {}],
		"Windows with an empty LOCALAPPDATA": ["win32", { LOCALAPPDATA: "" }],
	},
};

testOutcomes(FOLDERS, ([platform, environment]) => stateFolder({ platform, environment, home: "/home/me" }));
