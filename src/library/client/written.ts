/**
 * How our transport over `node:http` tells the client, which may be of another copy of this package, what was written. It is
 *
 * - the key of an error that says whether its request may have been written to a connection;
 * - the diagnostics channel that gets a message like undici's, with the headers, before a request is written;
 * - a key of the transport itself.
 */
export const WRITTEN = "messaging-gateway:written";
