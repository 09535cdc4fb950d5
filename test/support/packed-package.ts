import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { share } from "./shared/shared.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** The packages of every install. */
export const DEPENDENCIES = ["ky"];

/** The other packages that the packed package and the snippets need; linked, so that nothing is downloaded. */
export const LINKED: readonly string[] = [
	...DEPENDENCIES,
	"msw",
	"vitest",
	"typescript",
	"@types/node",
	"undici-types",
	"express",
	"@types/express",
	"fastify",
	"hono",
	"@hono/node-server",
	"next",
	"react",
	"react-dom",
	"@types/react",
	"@types/pg",
	"pg",
	"@libsql/client",
	"ioredis",
	"redis",
	"@aws-sdk/client-dynamodb",
	"chat",
	"@chat-adapter/state-memory",
	"bullmq",
	"@opentelemetry/api",
	"@opentelemetry/context-async-hooks",
	"@opentelemetry/sdk-trace-base",
	"undici",
	"@types/aws-lambda",
];

/** The frameworks of the guides, which only `npm run test:release` installs. */
export const FRAMEWORKS: readonly string[] = [
	"koa",
	"@types/koa",
	"@nestjs/common",
	"@nestjs/core",
	"@nestjs/platform-express",
	"@nestjs/platform-fastify",
	"reflect-metadata",
	"rxjs",
];

/** A user's project: an empty folder in which the package is installed as it is published. */
export interface UserProject {
	readonly folder: string;
	/** The packed package. */
	readonly tarball: string;
	/** @returns the file's path. */
	write(name: string, content: string): string;
	/**
	 * Compiles the project as `tsc --init` sets it up.
	 * @param changes - what differs from that.
	 * @returns the compiler's errors, or what else it prints.
	 */
	compile(
		changes?: { compilerOptions?: object; include?: readonly string[] },
		...args: string[]
	): Promise<string>;
	remove(): void;
}

/** What `tsc --init` writes, for a project of Node. */
const COMPILER_OPTIONS = {
	strict: true,
	exactOptionalPropertyTypes: true,
	noUncheckedIndexedAccess: true,
	verbatimModuleSyntax: true,
	isolatedModules: true,
	target: "es2022",
	lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
	module: "nodenext",
	types: ["node"],
	skipLibCheck: true,
};

/** The project's own packages, and those that only frameworks or users of Jest need. */
const FOLDERS = ["node_modules", "test/frameworks/node_modules", "test/jest/node_modules"];

function findPackage(name: string): string {
	const found = FOLDERS.map((folder) => join(ROOT, folder, name)).find((path) => existsSync(path));
	if (found === undefined)
		throw new Error(`${name} is missing: install the packages of test/, as \`npm run test:release\` does.`);
	return found;
}

/** Installs the package as it is published into an empty folder, together with the named packages. */
export async function createUserProject(packages: readonly string[] = LINKED): Promise<UserProject> {
	const packed = await share("packed");
	const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-user-"));
	const modules = join(folder, "node_modules");
	cpSync(packed.folder, join(modules, "messaging-gateway"), { recursive: true });
	for (const name of new Set(packages)) {
		const target = join(modules, name);
		mkdirSync(join(target, ".."), { recursive: true });
		symlinkSync(findPackage(name), target);
	}
	const write = (name: string, content: string): string => {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
		return join(folder, name);
	};
	write("package.json", JSON.stringify({ name: "user", private: true, type: "module" }));
	const compile: UserProject["compile"] = async (changes = {}, ...args) => {
		const compilerOptions = { ...COMPILER_OPTIONS, ...changes.compilerOptions };
		write("tsconfig.json", JSON.stringify({ ...changes, compilerOptions }));
		const tsc = join(modules, "typescript/bin/tsc");
		const compiled = promisify(execFile)(process.execPath, [tsc, "-p", folder, ...args], { cwd: folder });
		return (await compiled.catch((error: { stdout: string }) => error)).stdout;
	};
	const remove = (): void => rmSync(folder, { recursive: true, force: true });
	return { folder, tarball: packed.tarball, write, compile, remove };
}
