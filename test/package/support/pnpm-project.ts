import {
	cpSync,
	globSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { VERSION } from "../../../src/library/identity.ts";
import { share } from "../../support/shared/shared.ts";

const ROOT = new URL("../../..", import.meta.url).pathname;

/** A package that depends on a version of this one, beside the user's own: its entry has these lines. */
interface Dependency {
	readonly name: string;
	readonly version: string;
	readonly lines: readonly string[];
}

/** A user's project in the layout of pnpm: a package finds what it depends on, and nothing else. */
export interface PnpmProject extends Disposable {
	readonly folder: string;
	/** @returns the file's path. */
	write(name: string, content: string): string;
}

/**
 * Installs the packed package as pnpm does: each package in a folder of its own, with links to what it depends on.
 * @param version - the one that the user has.
 * @param dependencies - further packages of the user, which may have another version.
 * @param peers - packages of this project that the user has, and the package as its peers.
 */
export async function createPnpmProject(
	version: string,
	dependencies: readonly Dependency[] = [],
	peers: readonly string[] = [],
): Promise<PnpmProject> {
	const { folder: packed } = await share("packed");
	const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-pnpm-"));
	const modules = join(folder, "node_modules");
	const placeOf = (name: string, of: string) => join(modules, ".pnpm", `${name}@${of}/node_modules`, name);
	const write = (name: string, content: string): string => {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
		return join(folder, name);
	};
	write("package.json", JSON.stringify({ name: "user", private: true, type: "module" }));

	cpSync(join(ROOT, "node_modules/ky"), placeOf("ky", "2"), { recursive: true, dereference: true });
	for (const each of new Set([version, ...dependencies.map((dependency) => dependency.version)])) {
		const place = placeOf("messaging-gateway", each);
		cpSync(packed, place, { recursive: true });
		link(placeOf("ky", "2"), join(place, "../ky"));
		for (const name of peers) link(join(ROOT, "node_modules", name), join(place, "..", name));
		setVersion(place, each);
	}
	link(placeOf("messaging-gateway", version), join(modules, "messaging-gateway"));
	for (const { name, version: of, lines } of dependencies) {
		const place = placeOf(name, "1");
		mkdirSync(place, { recursive: true });
		const manifest = { name, type: "module", exports: { types: "./index.d.ts", default: "./index.js" } };
		writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
		for (const file of ["index.js", "index.d.ts"]) writeFileSync(join(place, file), lines.join("\n"));
		link(placeOf("messaging-gateway", of), join(place, "../messaging-gateway"));
		link(place, join(modules, name));
	}
	for (const name of peers) link(join(ROOT, "node_modules", name), join(modules, name));
	const remove = (): void => rmSync(folder, { recursive: true, force: true });
	return { folder, write, [Symbol.dispose]: remove };
}

function link(target: string, path: string): void {
	mkdirSync(dirname(path), { recursive: true });
	symlinkSync(target, path);
}

/** Makes the copy one of another version, in the manifest and in the code. */
function setVersion(place: string, version: string): void {
	const manifest = join(place, "package.json");
	const { version: packed } = JSON.parse(readFileSync(manifest, "utf8"));
	writeFileSync(manifest, readFileSync(manifest, "utf8").replace(`"${packed}"`, `"${version}"`));
	const compatible = `messaging-gateway@${version.replace(/\.\d+$/, "")}`;
	if (compatible === VERSION) return;
	const files = globSync("dist/**/*.js", { cwd: place }).map((file) => join(place, file));
	const holders = files.filter((file) => readFileSync(file, "utf8").includes(`"${VERSION}"`));
	if (holders.length === 0) throw new Error(`no file of the package has its version, ${VERSION}`);
	for (const file of holders)
		writeFileSync(file, readFileSync(file, "utf8").replaceAll(`"${VERSION}"`, `"${compatible}"`));
}
