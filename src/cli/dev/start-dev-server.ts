import { hostname, networkInterfaces } from "node:os";
import type { GatewayControl } from "../../local-gateway/control/create-control.ts";
import {
	type ControlledGatewayOptions,
	createControlledGateway,
} from "../../local-gateway/control/create-controlled-gateway.ts";
import { createControlRoutes } from "../../local-gateway/control/http/create-control-routes.ts";
import { LOOPBACK_HOSTS, rejectForeignPages, underHosts } from "../../local-gateway/control/http/hosts.ts";
import { inOrder } from "../../local-gateway/control/http/routes.ts";
import { serveGateway } from "../../local-gateway/http-server.ts";
import { createOpenApiDocument, writeOpenApiDocument } from "../../openapi/create-openapi-document.ts";
import { randomHex } from "../../runtime.ts";
import { isLoopback } from "../../signing/loopback.ts";
import { VERSION } from "../version.ts";
import { createPageRoutes } from "./page-routes.ts";

/** Where the development server listens, and what it serves. */
export interface DevServerOptions {
	readonly port: number;
	readonly host: string;
	readonly gateway: ControlledGatewayOptions;
}

/** A local gateway with its console. */
export interface DevServer extends AsyncDisposable {
	readonly baseUrl: string;
	/** The console's address, with the token that its control routes need. */
	readonly consoleUrl: string;
	/** The address of its page of operations, with the token as well. */
	readonly apiUrl: string;
	readonly control: GatewayControl;
}

/** Bytes of the token; as many as a key of AES-128 has. */
const TOKEN_BYTES = 16;

/**
 * Starts a local gateway behind a port, with the console before it.
 * @throws the system's error when the port is taken.
 */
export async function startDevServer({ port, host, gateway }: DevServerOptions): Promise<DevServer> {
	const token = randomHex(TOKEN_BYTES);
	const baseUrl = `http://${isLoopback(bracketed(host)) ? "localhost" : bracketed(host)}:${port}`;
	const { local, control } = createControlledGateway({ ...gateway, baseUrl });
	const document = createOpenApiDocument({ baseUrl, profile: gateway.profile, version: VERSION });
	const hosts = namesOf(host);
	const routes = inOrder(
		rejectForeignPages(hosts),
		createControlRoutes(control, { token, hosts }),
		underHosts(hosts, createPageRoutes(writeOpenApiDocument(document))),
	);
	try {
		const server = await serveGateway(local, { port, host, routes });
		return {
			baseUrl,
			consoleUrl: `${baseUrl}/#token=${token}`,
			apiUrl: `${baseUrl}/docs#token=${token}`,
			control,
			async [Symbol.asyncDispose]() {
				await server.close();
				await local[Symbol.asyncDispose]();
			},
		};
	} catch (error) {
		await local[Symbol.asyncDispose]();
		throw error;
	}
}

/** The names of this machine under which a server on that address is reached. */
function namesOf(host: string): string[] {
	if (isLoopback(bracketed(host))) return [...LOOPBACK_HOSTS];
	const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	return [
		...LOOPBACK_HOSTS,
		bracketed(host),
		hostname(),
		...addresses.map(({ address }) => bracketed(address)),
	];
}

function bracketed(host: string): string {
	return host.includes(":") ? `[${host}]` : host;
}
