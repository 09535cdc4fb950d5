/**
 * Attachments from disk, for Node, Bun and Deno.
 *
 * See [Sending](../../../docs/sending.md#attachments-and-voice-notes).
 * @module messaging-gateway/node
 */
export type { AttachmentByBytes } from "../client/attachments.ts";
export { InputError } from "../errors.ts";
export { attachmentFromFile } from "../node/attachment-from-file.ts";
