/** The part of a PostgreSQL client that the package uses. A `Pool` of `pg` fits. */
export interface PostgresClient {
	query(text: string, values: (string | number)[]): Promise<{ rows: Record<string, unknown>[] }>;
}
