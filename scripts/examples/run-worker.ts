/** Runs a Worker until it is stopped. */
import { startWorker } from "./start-worker.ts";

const [folder = "."] = process.argv.slice(2);
const worker = await startWorker(folder, process.env, { port: Number(process.env["PORT"] ?? 8787) });
const { origin } = await worker.ready;
console.log(`listening on ${origin}`);
