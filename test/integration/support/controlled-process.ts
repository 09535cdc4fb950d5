import process from "node:process";
import { openStateFile } from "../../../src/tools/cli/dev/state-file.ts";
import { createControlledGateway } from "../../../src/tools/control/create-controlled-gateway.ts";
import { createControlRoutes } from "../../../src/tools/control/http/create-control-routes.ts";
import { LOOPBACK_HOSTS } from "../../../src/tools/control/http/hosts.ts";
import { serveGateway } from "../../../src/tools/local-gateway/http-server.ts";

/** A gateway with its control and a state file, in a process that tests can end. */
const [, , path = "", deliverTo] = process.argv;
const { local, control } = createControlledGateway({ state: openStateFile(path), deliverTo });
const routes = createControlRoutes(control, { token: "token", hosts: LOOPBACK_HOSTS });
const server = await serveGateway(local, { port: Number(process.env["PORT"]), host: "127.0.0.1", routes });
process.once("SIGTERM", async () => {
	await server.close();
	await local[Symbol.asyncDispose]();
});
console.log("ready");
