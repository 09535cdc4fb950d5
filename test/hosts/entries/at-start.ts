/** A page, or the background of an extension: leaves the cells where the driver looks for them. */
import { type Gateway, runActions } from "../actions.ts";

/** Written into the code when it is bundled. */
declare const GATEWAY: Gateway;

Object.assign(globalThis, { cells: runActions(GATEWAY) });
