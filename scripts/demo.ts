/** Shows a chat in the browser, in which a webhook fails; without a screen it tells the main features and checks them. */
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { styleText } from "node:util";
import { openBrowser } from "../src/tools/cli/dev/open-browser.ts";
import { untilStopped } from "../src/tools/cli/serving.ts";
import { startChat } from "./demo/start-chat.ts";
import { buildPages } from "./examples/build-pages.ts";

const { argv, env, platform, stdout } = process;

if (argv.includes("--page") || hasScreen()) await showChat();
else {
	await import("../examples/demo/main.ts");
	if (stdout.isTTY) say("\n`npm run demo -- --page` starts a chat, and prints the link to its page.");
}

function hasScreen(): boolean {
	const isDesktop =
		platform === "darwin" || platform === "win32" || "DISPLAY" in env || "WAYLAND_DISPLAY" in env;
	return stdout.isTTY && !("CI" in env) && isDesktop;
}

async function showChat(): Promise<void> {
	const whenStopped = untilStopped();
	await buildPages(say);
	await using chat = await startChat((seconds) => sleep(seconds * 1_000));
	say(styleText("bold", "A gateway and an application, on this machine. Ctrl+C stops them.\n"));
	say(`  The chat: ${styleText("cyan", chat.consoleUrl)}\n`);
	if (hasScreen()) openBrowser(chat.oneTimeUrl, () => say("No browser could be opened: open the link."));
	await Promise.race([tell(chat).then(() => whenStopped), whenStopped]);
}

async function tell(chat: Awaited<ReturnType<typeof startChat>>): Promise<void> {
	await chat.play();
	say("A webhook failed. Click its line in the chat: the page says why, and one click fixes it.");
	await chat.whenDone;
	say("Fixed: the application got the message and answered it.");
}

function say(line: string): void {
	console.log(line);
}
