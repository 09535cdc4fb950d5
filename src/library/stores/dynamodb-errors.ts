import { StoreError } from "../store-calls/store-error.ts";

/** What to do about errors of the client. */
const FIXES: readonly (readonly [names: RegExp, sentence: (table: string) => string])[] = [
	[
		/^ResourceNotFoundException/,
		(table) =>
			`the table ${table} is missing in the client's region: create it, or set the table or the client's region`,
	],
	[
		/^ValidationException/,
		(table) =>
			`the table ${table} rejects the key: its only key must be the string "key", of at most 2,048 bytes`,
	],
	[
		/^AccessDenied/,
		(table) => `access is denied: allow dynamodb:GetItem and dynamodb:PutItem on the table ${table}`,
	],
	[
		/^(ProvisionedThroughputExceeded|RequestLimitExceeded|Throttl)/,
		(table) => `the table ${table} is throttled: raise its capacity, or its maximum on demand`,
	],
	[
		/Token|Credentials|Signature|^UnrecognizedClient/,
		() => "DynamoDB accepts no credentials of the client: set valid ones of the same account",
	],
	[/^Region is missing|ENOTFOUND/, () => "the client has no valid region: set its region, or AWS_REGION"],
];

/** A sentence of ours with what to do, if the error of the client is known. */
export function explainDynamodbError(error: unknown, table: string): unknown {
	if (!(error instanceof Error) || error instanceof StoreError) return error;
	const name = error.name === "Error" ? error.message : error.name;
	const sentence = FIXES.find(([names]) => names.test(name))?.[1];
	return sentence === undefined ? error : new StoreError(sentence(table), { cause: error });
}
