/** Serves a page as `vite dev` would, against the sources; a user needs none of this. */
import { join } from "node:path";
import { createServer, defaultClientConditions } from "vite";

const [root = "."] = process.argv.slice(2);
const port = Number(process.env["PORT"] ?? 5173);
const server = await createServer({
	root,
	server: { host: "127.0.0.1", port, strictPort: true },
	configFile: join(root, "vite.config.ts"),
	// Loaded by Node itself, which knows the condition.
	configLoader: "native",
	// All dependencies are ESM. Pre-bundling them at the first start, as Vite does, would reload the page.
	optimizeDeps: { noDiscovery: true },
	resolve: { conditions: ["@messaging-gateway/source", ...defaultClientConditions] },
});
await server.listen();
server.printUrls();
