import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import ts from "typescript";

interface WorkerConfig {
	readonly main: string;
	readonly compatibility_date: string;
	readonly d1_databases: readonly { readonly binding: string }[];
	readonly vars: Readonly<Record<string, string>>;
}

const SECRETS = ["MESSAGING_GATEWAY_APP_SECRET", "MESSAGING_GATEWAY_WEBHOOK_SECRET"];

interface WorkerPlace {
	readonly port: number;
	/** Where its databases are kept. @default in memory */
	readonly persist?: string;
}

/** Starts a Worker as `wrangler dev` would, from its wrangler.jsonc, with the bindings that the environment has. */
export async function startWorker(
	folder: string,
	environment: NodeJS.Dict<string>,
	{ port, persist }: WorkerPlace,
): Promise<Miniflare> {
	const file = join(folder, "wrangler.jsonc");
	// TypeScript reads JSON with comments for its own configuration.
	const config: WorkerConfig = ts.parseConfigFileTextToJson(file, readFileSync(file, "utf8")).config;
	const { outputFiles } = await build({
		entryPoints: [join(folder, config.main)],
		bundle: true,
		format: "esm",
		platform: "browser",
		conditions: ["@messaging-gateway/source", "workerd", "worker"],
		write: false,
		logLevel: "error",
	});
	const bindings = [...Object.keys(config.vars), ...SECRETS].map((name) => [
		name,
		environment[name] ?? config.vars[name],
	]);
	return new Miniflare({
		modules: true,
		script: outputFiles[0]?.text ?? "",
		bindings: Object.fromEntries(bindings),
		d1Databases: config.d1_databases.map(({ binding }) => binding),
		d1Persist: persist ?? false,
		compatibilityDate: config.compatibility_date,
		host: "127.0.0.1",
		port,
	});
}
