declare module "dynalite" {
	import type { Server } from "node:http";
	/** An emulator of DynamoDB in memory. @param options - `createTableMs`: how long a table is being created. */
	export default function dynalite(options: { createTableMs: number }): Server;
}
