import { getRequestListener } from "@hono/node-server";
import { defineConfig, type Plugin } from "vite";
import { api } from "./server.ts";

/** Serves the API together with the page. If Vite does not serve the page, your own server does this. */
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
