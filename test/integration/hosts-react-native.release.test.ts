import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Cells } from "../hosts/actions.ts";
import { REACT_NATIVE_ALONE, WORKS_IN_PUBLIC } from "../hosts/expected.ts";
import { POLYFILLS, runInReactNative } from "../hosts/react-native.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";

const APP = new URL("../react-native", import.meta.url).pathname;
const HOSTS = new URL("../hosts", import.meta.url).pathname;

let project: UserProject;
let gateway: ListeningGateway;

beforeAll(async () => {
	if (!existsSync(join(APP, "node_modules")))
		throw new Error(
			"React Native is missing: run `npm ci --prefix test/react-native --ignore-scripts --legacy-peer-deps`, as `npm run test:release` does.",
		);
	project = await createUserProject(DEPENDENCIES);
	cpSync(HOSTS, join(project.folder, "hosts"), { recursive: true });
	cpSync(join(APP, "app.js"), join(project.folder, "app.js"));
	project.write(
		"babel.config.js",
		`module.exports = { presets: [${JSON.stringify(join(APP, "node_modules/@react-native/babel-preset"))}] };`,
	);
	// An app of React Native is no module of Node.
	project.write("package.json", JSON.stringify({ name: "app", private: true }));
	gateway = await listen({ rules: "off" });
});

afterAll(async () => {
	await gateway?.close();
	project?.remove();
});

describe("an app of React Native, bundled by Metro", () => {
	let code: string;

	beforeAll(async () => {
		await bundle();
		code = readFileSync(join(project.folder, "out.js"), "utf8");
	});

	test.each<[title: string, polyfills: object, cells: Readonly<Record<keyof Cells, unknown>>]>([
		["names what it lacks", {}, REACT_NATIVE_ALONE],
		["works with polyfills", POLYFILLS, WORKS_IN_PUBLIC],
	])("%s", async (_title, polyfills, cells) => {
		const { baseUrl, appId, appSecret } = gateway.clientOptions;
		expect(await runInReactNative(code, { baseUrl, appId, appSecret }, polyfills)).toEqual(cells);
	});
});

test("a Metro that does not read exports, by default before React Native 0.79, finds no entry", async () => {
	await expect(bundle("false")).rejects.toMatchObject({
		stderr: expect.stringContaining("targetModuleName: 'messaging-gateway'"),
	});
});

function bundle(packageExports = "true"): Promise<unknown> {
	return promisify(execFile)(process.execPath, [join(APP, "bundle.mjs"), project.folder, packageExports], {
		cwd: project.folder,
		env: { ...process.env, NODE_ENV: "production" },
		timeout: TEST_TIMEOUT_MS,
	});
}
