import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { createModuleProject, type ModuleProject } from "../support/documented-modules.ts";
import { testReceiver } from "./support/receiver-suite.ts";

let project: ModuleProject;

beforeAll(async () => {
	project = await createModuleProject();
	cpSync(
		new URL("./support/observed-handler.ts", import.meta.url),
		join(project.folder, "observed-handler.ts"),
	);
	project.write(
		"webhooks.js",
		'import { createObservedHandler } from "./observed-handler.ts";\nexport const webhooks = createObservedHandler();',
	);
	project.write("mistake.js", MISTAKE);
});

afterAll(() => project?.remove());

/** Loaded before the module: its route is then also reached by another path, with a body that was read before. */
const MISTAKE = `
import { Server } from "node:http";
import { json } from "node:stream/consumers";
const { emit } = Server.prototype;
Server.prototype.emit = function (event, request, ...rest) {
	if (event !== "request" || request.url !== "/mistaken") return emit.call(this, event, request, ...rest);
	request.url = "/webhooks";
	json(request).then(() => emit.call(this, event, request, ...rest));
	return true;
};`;

testReceiver("the route of Koa", {
	hint: "read before",
	async start(environment) {
		const app = await project.start("koa", environment, {
			nodeOptions: ["--import", "./mistake.js"],
			// Koa reports a sender that stops halfway, with the stack.
			expectedErrors: /^(Error: Parse Error)?$/,
		});
		return { ...app, url: `${app.url}/webhooks`, mistakenUrl: `${app.url}/mistaken` };
	},
});
