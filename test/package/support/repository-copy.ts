import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const ROOT = new URL("../../..", import.meta.url).pathname;

/** A copy of the repository in which a release can be tried. */
export interface RepositoryCopy {
	readonly folder: string;
	/** Runs a command without this machine's settings, except for the registry. @returns what it printed. */
	run(command: string, ...args: readonly string[]): Promise<string>;
	read(path: string): string;
	write(path: string, content: string): void;
	remove(): void;
}

/** Copies git's files and the build into a new git repository. */
export async function copyRepository(registry: string): Promise<RepositoryCopy> {
	if (!existsSync(join(ROOT, "dist/index.js")))
		throw new Error("There is no build: run `npm run build` first.");
	const home = mkdtempSync(join(tmpdir(), "messaging-gateway-release-"));
	const folder = join(home, "repository");
	for (const path of listFiles()) cpSync(join(ROOT, path), join(folder, path));
	cpSync(join(ROOT, "dist"), join(folder, "dist"), { recursive: true });
	symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
	const env = {
		HOME: home,
		PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
		npm_config_registry: registry,
		NODE_ENV: "test",
	} as const;
	const run = async (command: string, ...args: readonly string[]): Promise<string> => {
		const { stdout, stderr } = await execute(command, args, { cwd: folder, env });
		return `${stdout}${stderr}`;
	};
	const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
	await run("git", "init", "--quiet");
	await run("git", "add", "--all");
	await run("git", ...author, "commit", "--quiet", "--message", "all");
	return {
		folder,
		run,
		read: (path) => readFileSync(join(folder, path), "utf8"),
		write: (path, content) => writeFileSync(join(folder, path), content),
		remove: () => rmSync(home, { recursive: true, force: true }),
	};
}

/** Tracked and untracked files, without ignored ones. */
function listFiles(): string[] {
	const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
		cwd: ROOT,
		encoding: "utf8",
	});
	return listed.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)));
}
