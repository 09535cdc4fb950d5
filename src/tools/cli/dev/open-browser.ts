import { spawn } from "node:child_process";
import process from "node:process";

/** The program of each platform that opens a URL in the default browser, and its first arguments. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
	darwin: ["open"],
	win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a URL in the default browser, which stays open when this process ends. */
export function openBrowser(url: string, onFailure: () => void): void {
	const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
	const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
	let isReported = false;
	const fail = (): void => {
		if (!isReported) onFailure();
		isReported = true;
	};
	child.once("error", fail);
	child.once("exit", (code) => {
		if (code !== 0) fail();
	});
	child.unref();
}
