import { CHAT } from "./chat.ts";
import { CLIENT } from "./client.ts";
import type { Mutant } from "./mutant.ts";
import { SENDS } from "./sends.ts";
import { SIGNING } from "./signing.ts";
import { STORES } from "./stores.ts";
import { TRANSPORT } from "./transport.ts";
import { WEBHOOKS } from "./webhooks.ts";

/** `npm run mutants` plants one after the other, and runs the tests. */
export const MUTANTS: readonly Mutant[] = [
	...SIGNING,
	...CLIENT,
	...TRANSPORT,
	...WEBHOOKS,
	...STORES,
	...SENDS,
	...CHAT,
];
