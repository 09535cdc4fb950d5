/** The `meta` of a success envelope (specification, section 2.1). */
export interface ResponseMeta {
	/** The gateway's request id: a UUID. */
	requestId: string;
	/** When the gateway responded, as an ISO 8601 date and time. */
	timestamp: string;
}
