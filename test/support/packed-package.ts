import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = new URL("../..", import.meta.url).pathname;

/** What every install brings, and all that it brings. */
export const DEPENDENCIES = ["ky", "@noble/hashes"];

/** What the packed package and the snippets need beside it; linked, so that nothing is downloaded. */
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
	"ioredis",
	"redis",
	"bullmq",
	"@opentelemetry/api",
	"@opentelemetry/context-async-hooks",
	"@opentelemetry/sdk-trace-base",
	"undici",
	"koa",
	"@types/koa",
	"@nestjs/common",
	"@nestjs/core",
	"@nestjs/platform-express",
	"reflect-metadata",
	"rxjs",
	"@types/aws-lambda",
];

/** A project of a user's: an empty folder in which the package is installed as it is published. */
export interface UserProject {
	readonly folder: string;
	/** The packed package. */
	readonly tarball: string;
	write(name: string, content: string): string;
	remove(): void;
}

/** Packs what was built, and installs it into an empty folder beside the named packages. */
export function createUserProject(packages: readonly string[] = LINKED): UserProject {
	if (!existsSync(join(ROOT, "dist/index.js")))
		throw new Error("There is no build: run `npm run build` first.");
	const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-user-"));
	const modules = join(folder, "node_modules");
	const installed = join(modules, "messaging-gateway");
	mkdirSync(installed, { recursive: true });
	const packed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
		cwd: ROOT,
		encoding: "utf8",
	});
	const tarball = join(folder, readFilename(JSON.parse(packed)));
	execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
	for (const name of new Set(packages)) {
		const target = join(modules, name);
		mkdirSync(join(target, ".."), { recursive: true });
		symlinkSync(join(ROOT, "node_modules", name), target);
	}
	const write = (name: string, content: string): string => {
		writeFileSync(join(folder, name), content);
		return join(folder, name);
	};
	write("package.json", JSON.stringify({ name: "user", private: true, type: "module" }));
	return { folder, tarball, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** npm lists what it packed as an array, or from version 11 on as an object by name. */
function readFilename(packed: unknown): string {
	const [first] = Object.values(packed as Record<string, { filename: string }>);
	if (first === undefined) throw new Error("npm packed nothing");
	return first.filename;
}
