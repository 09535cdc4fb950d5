/** A new process that imports a client and makes its first call: `first-call.ts NAME BASE-URL`. It prints the result. */
import { CLIENTS } from "./clients.ts";

const [name, baseUrl = ""] = process.argv.slice(2);
const client = CLIENTS.find((other) => other.name === name);
if (client === undefined) throw new Error(`there is no ${name}`);

const start = performance.now();
const send = await client.open({ baseUrl });
const response = await send();
const ns = (performance.now() - start) * 1e6;

// A client's agent would keep the process alive.
process.stdout.write(JSON.stringify({ ns, response }), () => process.exit());
