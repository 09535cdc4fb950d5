import { usageError } from "./failure.ts";

/** The address that a server was to listen on. */
export interface ListenAddress {
	readonly host: string;
	readonly port: number;
}

/** Returns a handler that turns the system's error of a server that cannot listen into a usage error. */
export function explainListenError({ host, port }: ListenAddress) {
	return (error: unknown): never => {
		const code = error instanceof Error && "code" in error ? error.code : undefined;
		if (code === "EADDRINUSE")
			throw usageError(
				`port ${port} is already in use`,
				"Give another one with --port, or 0 for any free port.",
			);
		if (code === "EACCES")
			throw usageError(
				`port ${port} may not be used by this user`,
				"Give one from 1024 on with --port, or 0 for any free port.",
			);
		if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
			throw usageError(`${host} is not an address of this machine`, "Give one of its addresses with --host.");
		throw error;
	};
}
