/** The `User-Agent` of the doctor's requests, by which the local gateway marks them. */
export const PROBE_AGENT = "messaging-gateway-doctor";
