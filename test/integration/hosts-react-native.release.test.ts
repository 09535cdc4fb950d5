import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Cells } from "../hosts/actions.ts";
import { toGateway } from "../hosts/define-gateway.ts";
import { POLYFILLS, runInReactNative } from "../hosts/react-native.ts";
import { testHosts } from "../hosts/test-hosts.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";

const APP = new URL("../react-native", import.meta.url).pathname;
const HOSTS = new URL("../hosts", import.meta.url).pathname;

let project: UserProject;
let gateway: ListeningGateway;
/** The bundle of the app. */
let code: Promise<string> | undefined;

beforeAll(async () => {
	if (!existsSync(join(APP, "node_modules")))
		throw new Error(
			"React Native is missing: run `npm ci --prefix test/react-native --ignore-scripts --legacy-peer-deps`, as `npm run test:release` does.",
		);
	project = await createUserProject(DEPENDENCIES);
	cpSync(HOSTS, join(project.folder, "hosts"), { recursive: true });
	for (const file of ["app.js", "react-native.js"]) cpSync(join(APP, file), join(project.folder, file));
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

async function runApp(polyfills: object): Promise<Cells> {
	code ??= bundle().then(() => readFileSync(join(project.folder, "out.js"), "utf8"));
	return runInReactNative(await code, toGateway(gateway), polyfills);
}

testHosts("hosts-react-native.release", {
	"React Native": () => runApp({}),
	"React Native with polyfills": () => runApp(POLYFILLS),
});

test("the polyfills are those of the guide", () => {
	const source = readFileSync(join(APP, "app.js"), "utf8");
	const required = Array.from(source.matchAll(/^\trequire\("(.+)"\);$/gm), ([, name]) => name);
	expect(required).toHaveLength(2);
	const [, installed] =
		/^npm install (react-native-.+)$/m.exec(readFileSync("docs/credentials.md", "utf8")) ?? [];
	expect(installed?.split(" ")).toEqual(required);
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
