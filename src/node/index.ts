export type { AttachmentByBytes } from "../client/attachments.ts";
export { InputError } from "../errors.ts";
export { attachmentFromFile } from "./attachment-from-file.ts";
