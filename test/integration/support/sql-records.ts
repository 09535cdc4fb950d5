/** The statement that makes every record older by this much. */
export function ageRows(ms: number, table = "messaging_gateway_records"): string {
	const age = Math.ceil(ms);
	return `UPDATE ${table} SET lease_ends_at = lease_ends_at - ${age}, expires_at = expires_at - ${age}`;
}
