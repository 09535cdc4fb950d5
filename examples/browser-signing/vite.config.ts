import { getRequestListener } from "@hono/node-server";
import { defineConfig, type Plugin } from "vite";
import { api } from "./server.ts";

/** Serves the API beside the page. A server of your own does it where the page is not served by Vite. */
const apiBesidePage: Plugin = {
	name: "api-beside-page",
	configureServer({ middlewares }) {
		middlewares.use("/api", getRequestListener(api.fetch));
	},
	configurePreviewServer({ middlewares }) {
		middlewares.use("/api", getRequestListener(api.fetch));
	},
};

export default defineConfig({ plugins: [apiBesidePage] });
