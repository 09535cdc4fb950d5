/** The largest attachment, in bytes before base64. In its own file, so that `messaging-gateway/node` bundles no schemas. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;
