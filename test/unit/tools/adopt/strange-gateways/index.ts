import * as channel from "./shapes-channel.ts";
import * as own from "./shapes-own.ts";
import * as phone from "./shapes-phone.ts";
import * as traps from "./shapes-traps.ts";
import type { StrangeShape } from "./strange-gateway.ts";

/** Every gateway, by name. */
export const GATEWAYS: Readonly<Record<string, StrangeShape>> = { ...phone, ...channel, ...own, ...traps };
