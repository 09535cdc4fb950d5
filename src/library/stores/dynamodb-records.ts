import { StoreError } from "../store-calls/store-error.ts";

/** A value that the store writes. */
export type DynamodbValue = { S: string } | { N: string };

/** The input that the store passes to `getItem`. */
export interface DynamodbGetInput {
	TableName: string;
	Key: Record<string, DynamodbValue>;
	ConsistentRead: true;
}

/** The condition for writing an item. */
export interface DynamodbCondition {
	ConditionExpression: string;
	ExpressionAttributeNames?: Record<string, string>;
	ExpressionAttributeValues?: Record<string, DynamodbValue>;
}

/** The input that the store passes to `putItem`. */
export interface DynamodbPutInput extends DynamodbCondition {
	TableName: string;
	Item: Record<string, DynamodbValue>;
	ReturnValuesOnConditionCheckFailure: "ALL_OLD";
}

/** An item, as far as the store reads it. */
export type DynamodbItem = Readonly<
	Record<string, { readonly S?: string | undefined; readonly N?: string | undefined }>
>;

/** What stands under a key, by the names of the item's attributes. Times are Unix milliseconds. */
export interface DynamodbRecord {
	/** Random, and another one after each write. */
	readonly revision?: string;
	readonly state: string;
	readonly expires_at: number;
	readonly token?: number;
	readonly attempt?: number;
	readonly lease_ends_at?: number;
	readonly bound_key?: string;
}

/** @param removableAt - from when on the table's time to live may remove the item. It does so late, or not at all. */
export function toItem(
	key: string,
	record: DynamodbRecord,
	removableAt: number,
): Record<string, DynamodbValue> {
	const attributes = Object.entries({ key, ...record, ttl: Math.ceil(removableAt / 1_000) });
	return Object.fromEntries(
		attributes.map(([name, value]) => [
			name,
			typeof value === "number" ? { N: String(value) } : { S: value },
		]),
	);
}

export function toRecord(item: DynamodbItem, table: string): DynamodbRecord {
	const { revision, state, expires_at, token, attempt, lease_ends_at, bound_key } = item;
	if (revision?.S === undefined || state?.S === undefined || expires_at?.N === undefined)
		throw new StoreError(
			`the table ${table} has an item that the store didn't write: use a table of its own`,
		);
	return {
		revision: revision.S,
		state: state.S,
		expires_at: Number(expires_at.N),
		...(token?.N !== undefined && { token: Number(token.N) }),
		...(attempt?.N !== undefined && { attempt: Number(attempt.N) }),
		...(lease_ends_at?.N !== undefined && { lease_ends_at: Number(lease_ends_at.N) }),
		...(bound_key?.S !== undefined && { bound_key: bound_key.S }),
	};
}

/** What must hold for a write in the place of this record. One that was not read is compared by its token and state. */
export function conditionOf(found: DynamodbRecord | undefined): DynamodbCondition {
	if (found === undefined) {
		return {
			ConditionExpression: "attribute_not_exists(#key)",
			ExpressionAttributeNames: { "#key": "key" },
		};
	}
	const { revision, state, token } = found;
	if (revision !== undefined) {
		return {
			ConditionExpression: "revision = :revision",
			ExpressionAttributeValues: { ":revision": { S: revision } },
		};
	}
	return {
		ConditionExpression: "#state = :state AND #token = :token",
		ExpressionAttributeNames: { "#state": "state", "#token": "token" },
		ExpressionAttributeValues: { ":state": { S: state }, ":token": { N: String(token) } },
	};
}
