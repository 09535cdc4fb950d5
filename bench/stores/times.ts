/** The default lease of an event in the webhook handler. */
export const LEASE_MS = 60_000;

/** How long it remembers an event that is done, by default. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** How long a delivery stays bound by default: twice the tolerance of 300 seconds, and one second more. */
export const BINDING_MS = 601_000;
