/** Writes the package's bill of materials, as CycloneDX on one line: what an install adds, and what is bundled. */
import { readFileSync, writeFileSync } from "node:fs";
import { findBundledPackages } from "./write-licences.ts";

/** Where the bill is. The package ships it. */
export const SBOM_FILE = "dist/sbom.cdx.json";

interface Manifest {
	readonly name: string;
	readonly version: string;
	readonly license: string;
	readonly dependencies: Readonly<Record<string, string>>;
}

interface Lock {
	readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
}

/** Describes the package whose files the last build wrote. */
export function describeMaterials(): object {
	const manifest: Manifest = readJson("package.json");
	const bundled = findBundledPackages();
	const required = Object.keys(manifest.dependencies).map((name) => `node_modules/${name}`);
	const folders = [...required, ...bundled.filter((folder) => !required.includes(folder))];
	const components = folders.map((folder) => ({
		...describePackage(folder),
		scope: "required",
		hashes: hashesOf(folder),
		...(bundled.includes(folder) ? { properties: [{ name: "cdx:npm:package:bundled", value: "true" }] } : {}),
	}));
	const root = describePackage(".");
	return {
		$schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
		bomFormat: "CycloneDX",
		specVersion: "1.5",
		version: 1,
		metadata: { component: root },
		components,
		dependencies: [{ ref: root["bom-ref"], dependsOn: components.map((component) => component["bom-ref"]) }],
	};
}

function describePackage(folder: string) {
	const { name, version, license }: Manifest = readJson(`${folder}/package.json`);
	const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
	return { "bom-ref": purl, type: "library", name, version, purl, licenses: [{ license: { id: license } }] };
}

/** The digest of the tarball, which npm has checked. */
function hashesOf(folder: string): object[] {
	const lock: Lock = readJson("package-lock.json");
	const [algorithm, digest = ""] = lock.packages[folder]?.integrity.split("-") ?? [];
	if (algorithm !== "sha512") throw new Error(`${folder} has no SHA-512 digest in package-lock.json`);
	return [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }];
}

function readJson<Content>(path: string): Content {
	return JSON.parse(readFileSync(path, "utf8"));
}

if (import.meta.main) writeFileSync(SBOM_FILE, `${JSON.stringify(describeMaterials())}\n`);
