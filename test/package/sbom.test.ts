import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findBundledPackages } from "../../scripts/write-licences.ts";
import { describeMaterials, SBOM_FILE } from "../../scripts/write-sbom.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";

interface Component {
	readonly name: string;
	readonly version: string;
	readonly purl: string;
	readonly licenses: readonly { readonly license: { readonly id: string } }[];
	readonly hashes: readonly { readonly alg: string; readonly content: string }[];
	readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Materials {
	readonly metadata: { readonly component: Component };
	readonly components: readonly Component[];
}

let project: UserProject;
let shipped: Materials;

beforeAll(async () => {
	project = await createUserProject(DEPENDENCIES);
	const path = join(project.folder, "node_modules/messaging-gateway", SBOM_FILE);
	shipped = JSON.parse(readFileSync(path, "utf8"));
});

afterAll(() => project?.remove());

test("the bill of materials is that of this build", () => {
	expect(shipped).toEqual(describeMaterials());
});

test("it names the dependencies, and every bundled package as bundled", () => {
	const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
	const isBundled = ({ properties = [] }: Component) =>
		properties.some(({ name, value }) => name === "cdx:npm:package:bundled" && value === "true");
	const names = (components: readonly Component[]) => components.map(({ name }) => name).sort();
	const bundled = findBundledPackages().map((folder) => folder.replace(/^.*node_modules\//, ""));
	expect(bundled).toContain("zod");
	expect(names(shipped.components.filter(isBundled))).toEqual(bundled.sort());
	expect(names(shipped.components)).toEqual([...new Set([...Object.keys(dependencies), ...bundled])].sort());
});

test("each package has its version, its licence and the digest that the lock has", () => {
	const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
	for (const { name, version, purl, licenses, hashes } of shipped.components) {
		const locked = lock.packages[`node_modules/${name}`];
		expect({ name, version, license: licenses[0]?.license.id }).toEqual({
			name,
			version: locked.version,
			license: locked.license,
		});
		expect(purl).toMatch(new RegExp(`^pkg:npm/.+@${version}$`));
		const [hash] = hashes;
		expect(`sha512-${Buffer.from(hash?.content ?? "", "hex").toString("base64")}`).toBe(locked.integrity);
	}
});

test("it describes the package itself", () => {
	const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
	expect(shipped.metadata.component).toMatchObject({ name, version, purl: `pkg:npm/${name}@${version}` });
});
