/** The largest attachment, in bytes before base64. A file of its own, so that reading a file from disk brings no schemas. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;
