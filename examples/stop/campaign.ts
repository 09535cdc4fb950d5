/**
 * Sends a text to contacts, each of them once, and to nobody who has stopped: `campaign.ts NAME TEXT CONTACT…`. If it fails, run
 * it again. Reads the variables of main.ts.
 */
import { createHash } from "node:crypto";
import { pool, sendUnlessStopped, storePool } from "./consent.ts";

const [name = "", text = "", ...contacts] = process.argv.slice(2);
for (const contact of contacts) {
	// A key is kept as it is, so it names nobody.
	const digest = createHash("sha256").update(contact).digest("hex");
	try {
		// Asked for each one, and not for all of them before: somebody may stop meanwhile.
		const result = await sendUnlessStopped(`${name}-${digest}`, { to: contact, text }, [contact]);
		console.log(`…${contact.slice(-4)}: ${result?.status ?? "has stopped"}`);
	} catch (error) {
		console.error(`…${contact.slice(-4)}: ${error instanceof Error ? error.message : error}`);
		process.exitCode = 1;
	}
}
await Promise.all([pool.end(), storePool.end()]);
