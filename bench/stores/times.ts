/** The default lease of an event in the webhook handler. */
const LEASE_MS = 60_000;

/** How long it remembers an event that is done, by default. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** How the webhook handler claims: a lease longer than the event is remembered once it is done. */
export const CLAIM_TIMES = { leaseMs: LEASE_MS, retentionMs: RETENTION_MS + LEASE_MS } as const;

/** How long a delivery stays bound by default: twice the tolerance of 300 seconds, and 301 seconds more. */
export const BINDING_MS = 901_000;
