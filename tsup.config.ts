import { defineConfig } from "tsup";

export default defineConfig({
	entry: {
		"signing/index": "src/signing/index.ts",
		// Files of their own, so that `webhooks/index` only exports, and the signature check comes without the schemas.
	},
	format: "esm",
	target: "es2022",
	platform: "neutral",
	removeNodeProtocol: false,
	external: [/^node:/],
	// zod as separate modules costs every cold start about 90 ms; bundled and tree-shaken, about 6.
	noExternal: ["zod"],
	dts: true,
	sourcemap: true,
	splitting: true,
	treeshake: true,
	clean: true,
});
