/** orval: a function for each operation, whose requests go through one of ours. `npx orval --config orval.config.ts` makes them. */
import { mappingsGet, messagesSendText } from "./orval";

const sent = await messagesSendText({ to: "+15551234567", text: "Hello" });
console.log(sent.status === 202 ? sent.data.data.message.status : sent.data.error.code); // queued

const found = await mappingsGet("+15551234567");
console.log(found.status === 200 ? found.data.data.mapping.outbound : found.data.error.code); // 1
