// A user's `lib` may lack what `using` needs.
/// <reference lib="esnext.disposable" preserve="true" />
import { createLocalGateway } from "./create-local-gateway.ts";
import { serveGateway } from "./http-server.ts";
import type { LocalClientOptions, LocalGateway } from "./local-gateway.ts";
import type { LocalGatewayOptions } from "./options.ts";

/** Says where to listen. */
export interface ListenOptions {
	/** The port to listen on. @default a free one */
	port?: number | undefined;
	/** The IP address or host name to listen on. @default "127.0.0.1" */
	host?: string | undefined;
}

/** A local gateway behind a port. Close it, or use `await using`. */
export interface ListeningGateway extends AsyncDisposable {
	/** The address, with the path of the gateway's `baseUrl`. */
	readonly url: string;
	/** The port of the server. */
	readonly port: number;
	/** The gateway behind it. */
	readonly local: LocalGateway;
	/** The options of a client that talks to it over HTTP. */
	readonly clientOptions: Omit<LocalClientOptions, "fetch">;
	/** Stops listening, closes open connections, and closes a gateway that `listen` created. */
	close(): Promise<void>;
}

/**
 * Serves a local gateway over HTTP.
 *
 * @example
 * ```ts
 * const server = await listen();
 * const gateway = new MessagingGateway(server.clientOptions);
 * await server.close();
 * ```
 * @param gateway - a gateway, or the options of a new one, which is closed with the server.
 * @throws ConfigurationError (`configuration`) if an option is invalid, or the system's error if the port is in use.
 */
export async function listen(
	gateway: LocalGateway | LocalGatewayOptions = {},
	{ port = 0, host = "127.0.0.1" }: ListenOptions = {},
): Promise<ListeningGateway> {
	const isOwn = !("handle" in gateway);
	const local = isOwn ? createLocalGateway(gateway) : gateway;
	const server = await serveGateway(local, { port, host });

	const url = server.origin + new URL(local.baseUrl).pathname.replace(/\/$/, "");
	const { fetch: _, ...options } = local.clientOptions;
	const close = async (): Promise<void> => {
		if (isOwn) await local.close();
		await server.close();
	};
	return {
		url,
		port: server.port,
		local,
		clientOptions: { ...options, baseUrl: url },
		close,
		[Symbol.asyncDispose]: close,
	};
}
