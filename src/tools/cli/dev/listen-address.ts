import { lookup } from "node:dns/promises";
import { BlockList, SocketAddress } from "node:net";
import { usageError } from "../failure.ts";

/** Where a server listens, and what that means. */
export interface ListenAddress {
	/** The IP address: a host may be written in many ways, such as `0` for every address. */
	readonly address: string;
	/** The host name of its links, in brackets if it is an IPv6 address. */
	readonly linkHost: string;
	/** From where it can be reached. */
	readonly reach: "this machine" | "every address" | "one address";
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");

/** Clients cannot connect to such a host. */
const EVERY_ADDRESS = new BlockList();
EVERY_ADDRESS.addAddress("0.0.0.0");
EVERY_ADDRESS.addAddress("::", "ipv6");

/**
 * Finds the address that a host stands for, as the system would when a server listens on it.
 * @throws the system's error if it stands for none.
 */
export async function findListenAddress(host: string): Promise<ListenAddress> {
	if (host === "") throw usageError("--host is empty", "Leave it out, or give an address of this machine.");
	const found = await lookup(host);
	if (found.address.includes("%"))
		throw usageError(
			"--host is an address with a zone, which no link can name",
			"Give another address of this machine, or :: for every one.",
		);
	const family = found.family === 6 ? "ipv6" : "ipv4";
	const { address } = new SocketAddress({ address: found.address, family });
	const isEvery = EVERY_ADDRESS.check(address, family);
	// On many machines it leads to only one of 127.0.0.1 and ::1.
	const localhost = await lookup("localhost", { all: true }).catch(() => []);
	const isLocalhost = isEvery || localhost.some((known) => known.address === address);
	return {
		address,
		linkHost: isLocalhost ? "localhost" : bracketed(address),
		reach: isEvery ? "every address" : LOOPBACK.check(address, family) ? "this machine" : "one address",
	};
}

/** An address as `URL.hostname` gives it. */
export function bracketed(address: string): string {
	return address.includes(":") ? new URL(`http://[${address}]`).hostname : address;
}
