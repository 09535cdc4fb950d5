/**
 * Reads attachments from disk, on Node, Bun and Deno, and sends faster from servers on Node.
 *
 * See [Send messages](../../../docs/sending.md#send-files-and-voice-notes), and its
 * [section for servers](../../../docs/sending.md#a-server-that-sends-a-lot).
 * @module messaging-gateway/node
 */
export type { AttachmentByBytes } from "../client/attachments.ts";
export type { CustomFetch, FetchInit, FetchResponse } from "../client/custom-fetch.ts";
export { InputError } from "../errors.ts";
export { attachmentFromFile } from "../node/attachment-from-file.ts";
export { nodeHttpFetch } from "../node/node-http-fetch.ts";
