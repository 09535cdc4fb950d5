import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PEERS = fileURLToPath(new URL("../peers", import.meta.url));

/** Installs the peers and mitata, which measures them, if they are missing. */
export function installPeers(): void {
	if (existsSync(`${PEERS}/node_modules/mitata`)) return;
	process.stderr.write("installing the peers in bench/peers\n");
	execFileSync("npm", ["ci", "--prefix", PEERS, "--silent"], { stdio: "inherit" });
}
