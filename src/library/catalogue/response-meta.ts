/**
 * The `meta` of a success envelope.
 * @see Specification, section 2.1
 */
export interface ResponseMeta {
	/** The gateway's request id: a UUID. */
	requestId: string;
	/** When the gateway responded, as an ISO 8601 date and time. */
	timestamp: string;
}
