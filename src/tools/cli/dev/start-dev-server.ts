import { hostname, networkInterfaces } from "node:os";
import type { GatewayControl } from "../../control/create-control.ts";
import {
	type ControlledGateway,
	type ControlledGatewayOptions,
	createControlledGateway,
} from "../../control/create-controlled-gateway.ts";
import { createControlRoutes } from "../../control/http/create-control-routes.ts";
import { LOOPBACK_HOSTS, rejectForeignPages, underHosts } from "../../control/http/hosts.ts";
import { type HttpServer, serveGateway } from "../../local-gateway/http-server.ts";
import { inOrder } from "../../local-gateway/routes.ts";
import { MANIFEST } from "../version.ts";
import { bracketed, type ListenAddress } from "./listen-address.ts";
import { createOneTimeLink } from "./one-time-link.ts";
import { createPageRoutes } from "./page-routes.ts";

/** The options of {@link startDevServer}. */
export interface DevServerOptions {
	/** 0 for a free one. */
	readonly port: number;
	readonly listenOn: ListenAddress;
	/** The token of the console and of the control routes. */
	readonly token: string;
	readonly gateway: ControlledGatewayOptions;
	/** Called with the origin of a page of another site for each of its requests, which are rejected. */
	readonly onForeignPage?: (origin: string) => void;
}

/** A local gateway with its console. */
export interface DevServer extends AsyncDisposable {
	readonly baseUrl: string;
	/** The console's URL, with the token for its control routes. */
	readonly consoleUrl: string;
	/** The URL of its API page, also with the token. */
	readonly apiUrl: string;
	/** A link to the console that works once, to pass to the browser as an argument. */
	readonly oneTimeUrl: string;
	readonly control: GatewayControl;
}

/**
 * Starts a local gateway and its console on a port.
 * @throws the system's error when the port is in use.
 */
export async function startDevServer({
	port,
	listenOn,
	token,
	gateway,
	onForeignPage,
}: DevServerOptions): Promise<DevServer> {
	const { createOpenApiDocument, writeOpenApiDocument } = await import("#openapi");
	const server = await serveGateway(
		{ handle: (request) => local.handle(request) },
		{ port, host: listenOn.address, routes: (request) => routes(request) },
	).catch((error: unknown) => {
		gateway.state?.close();
		throw error;
	});
	// The gateway's base URL has the port. No request is read before both are here: nothing below waits for the network.
	const baseUrl = `http://${listenOn.linkHost}:${server.port}`;
	const { local, control } = await createFor(server, { ...gateway, baseUrl });
	const document = createOpenApiDocument({ baseUrl, profile: gateway.profile, manifest: MANIFEST });
	const hosts = namesOf(listenOn);
	const consoleUrl = `${baseUrl}/#token=${token}`;
	const oneTimeLink = createOneTimeLink(consoleUrl);
	const routes = inOrder(
		rejectForeignPages(hosts, onForeignPage),
		createControlRoutes(control, { token, hosts }),
		underHosts(hosts, oneTimeLink.routes),
		underHosts(hosts, createPageRoutes(writeOpenApiDocument(document))),
	);
	return {
		baseUrl,
		consoleUrl,
		apiUrl: `${baseUrl}/docs#token=${token}`,
		oneTimeUrl: baseUrl + oneTimeLink.path,
		control,
		async [Symbol.asyncDispose]() {
			await server.close();
			await local[Symbol.asyncDispose]();
		},
	};
}

/** Creates the gateway of a server, which is closed if that fails. */
async function createFor(server: HttpServer, gateway: ControlledGatewayOptions): Promise<ControlledGateway> {
	try {
		return createControlledGateway(gateway);
	} catch (error) {
		await server.close();
		throw error;
	}
}

/** The host names that reach a server. */
function namesOf({ linkHost, reach }: ListenAddress): string[] {
	if (reach === "this machine") return [...LOOPBACK_HOSTS, linkHost];
	const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	// A link-local one has no place in a URL with its zone, which its own field has.
	return [...LOOPBACK_HOSTS, linkHost, hostname(), ...addresses.map(({ address }) => bracketed(address))];
}
