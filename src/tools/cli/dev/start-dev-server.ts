import { hostname, networkInterfaces } from "node:os";
import type { GatewayControl } from "../../control/create-control.ts";
import {
	type ControlledGatewayOptions,
	createControlledGateway,
} from "../../control/create-controlled-gateway.ts";
import { createControlRoutes } from "../../control/http/create-control-routes.ts";
import { LOOPBACK_HOSTS, rejectForeignPages, underHosts } from "../../control/http/hosts.ts";
import { serveGateway } from "../../local-gateway/http-server.ts";
import { inOrder } from "../../local-gateway/routes.ts";
import { MANIFEST } from "../version.ts";
import { bracketed, type ListenAddress } from "./listen-address.ts";
import { createOneTimeLink } from "./one-time-link.ts";
import { createPageRoutes } from "./page-routes.ts";

/** The options of {@link startDevServer}. */
export interface DevServerOptions {
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
	const baseUrl = `http://${listenOn.linkHost}:${port}`;
	const { local, control } = createControlledGateway({ ...gateway, baseUrl });
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
	try {
		const server = await serveGateway(local, { port, host: listenOn.address, routes });
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
	} catch (error) {
		await local[Symbol.asyncDispose]();
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
