/** Runs a Worker as `wrangler dev` would, from its wrangler.jsonc, with the bindings that the environment has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import ts from "typescript";

interface WorkerConfig {
	readonly main: string;
	readonly compatibility_date: string;
	readonly vars: Readonly<Record<string, string>>;
}

const SECRETS = ["MESSAGING_GATEWAY_APP_SECRET", "MESSAGING_GATEWAY_WEBHOOK_SECRET"];

const [folder = "."] = process.argv.slice(2);
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
	process.env[name] ?? config.vars[name],
]);
const worker = new Miniflare({
	modules: true,
	script: outputFiles[0]?.text ?? "",
	bindings: Object.fromEntries(bindings),
	compatibilityDate: config.compatibility_date,
	host: "127.0.0.1",
	port: Number(process.env["PORT"] ?? 8787),
});
const { origin } = await worker.ready;
console.log(`listening on ${origin}`);
