import { describe, expect, test } from "vitest";
import { stateFolder } from "../../../../src/tools/cli/credentials/state-folder.ts";

describe("the folder for state", () => {
	test.each<[NodeJS.Platform, Record<string, string>, string]>([
		["linux", {}, "/home/me/.local/state/messaging-gateway"],
		["linux", { XDG_STATE_HOME: "/state" }, "/state/messaging-gateway"],
		["linux", { XDG_STATE_HOME: "" }, "/home/me/.local/state/messaging-gateway"],
		// The XDG specification: relative paths must be ignored.
		["linux", { XDG_STATE_HOME: "state" }, "/home/me/.local/state/messaging-gateway"],
		["freebsd", { XDG_STATE_HOME: "/state" }, "/state/messaging-gateway"],
		["darwin", { XDG_STATE_HOME: "/state" }, "/home/me/Library/Application Support/messaging-gateway"],
		["win32", { LOCALAPPDATA: "C:\\Users\\me\\Local" }, "C:\\Users\\me\\Local\\messaging-gateway"],
		["win32", {}, "\\home\\me\\AppData\\Local\\messaging-gateway"],
	])("on %s with %j: %s", (platform, environment, folder) => {
		expect(stateFolder({ platform, environment, home: "/home/me" })).toBe(folder);
	});
});
