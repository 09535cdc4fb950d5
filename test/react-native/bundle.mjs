/**
 * Bundles `app.js` of a folder with Metro, as an app of React Native is bundled.
 * Its arguments: the folder, and whether Metro reads `exports` of packages, which it does by default.
 */
import { join } from "node:path";
import Metro from "metro";

const [folder, packageExports = "true"] = process.argv.slice(2);
const modules = join(import.meta.dirname, "node_modules");
const babelTransformerPath = join(modules, "@react-native/metro-babel-transformer/src/index.js");

const defaults = await Metro.loadConfig({ cwd: folder });
const config = {
	...defaults,
	projectRoot: folder,
	watchFolders: [folder, modules],
	cacheStores: [],
	maxWorkers: 1,
	reporter: { update: () => undefined },
	resolver: {
		...defaults.resolver,
		nodeModulesPaths: [modules],
		unstable_enablePackageExports: packageExports === "true",
		useWatchman: false,
		resolveRequest: (context, name, platform) =>
			name === "react-native"
				? { type: "sourceFile", filePath: join(folder, "react-native.js") }
				: context.resolveRequest(context, name, platform),
	},
	transformer: { ...defaults.transformer, babelTransformerPath },
};
await Metro.runBuild(config, { entry: "app.js", out: join(folder, "out.js"), dev: false, platform: "ios" });
process.exit();
