import type {
	DynamodbClient,
	DynamodbCondition,
	DynamodbItem,
	DynamodbValue,
} from "messaging-gateway/stores/dynamodb";

type Items = Map<string, DynamodbItem>;

/** A table of DynamoDB in memory: single writes under a condition, and reads that may be behind. */
export class DynamodbTable implements DynamodbClient {
	readonly items: Items = new Map();
	/** What a read finds that is not consistent. */
	readonly #behind: Items = new Map();
	readonly #returnsItems: boolean;
	readonly #isBehind: () => boolean;

	/**
	 * @param options - `returnsItems`: whether the error of a condition has the item, which an old client leaves out;
	 * `isBehind`: whether a read that is not consistent finds the item as it was before its last change.
	 */
	constructor({ returnsItems = true, isBehind = (): boolean => true } = {}) {
		this.#returnsItems = returnsItems;
		this.#isBehind = isBehind;
	}

	async getItem({
		Key,
		ConsistentRead,
	}: {
		Key: Record<string, DynamodbValue>;
		ConsistentRead?: boolean;
	}): Promise<{ Item?: DynamodbItem | undefined }> {
		return {
			Item: (ConsistentRead !== true && this.#isBehind() ? this.#behind : this.items).get(
				readValue(Key["key"]),
			),
		};
	}

	async putItem({
		Item,
		ReturnValuesOnConditionCheckFailure,
		...condition
	}: DynamodbCondition & {
		Item: Record<string, DynamodbValue>;
		ReturnValuesOnConditionCheckFailure?: string;
	}): Promise<void> {
		const key = readValue(Item["key"]);
		const current = this.items.get(key);
		if (!holds(condition, current)) {
			const isShown = this.#returnsItems && ReturnValuesOnConditionCheckFailure === "ALL_OLD";
			const shown = isShown ? { Item: current } : {};
			const name = "ConditionalCheckFailedException";
			throw Object.assign(new Error("The conditional request failed"), { name, ...shown });
		}
		if (current !== undefined) this.#behind.set(key, current);
		this.items.set(key, Item);
	}

	/** Removes what the time to live names, as DynamoDB does some time after it. */
	removeExpired(now: number): void {
		for (const [key, { ttl }] of this.items) if (Number(ttl?.N) * 1_000 <= now) this.items.delete(key);
	}
}

/** Whether a condition holds: of several comparisons with AND. */
function holds(
	{ ConditionExpression, ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: DynamodbCondition,
	item: DynamodbItem = {},
): boolean {
	return ConditionExpression.split(" AND ").every((part) => {
		const [, absent, name = absent, value] =
			/^(?:attribute_not_exists\((\S+)\)|(\S+) = (:\w+))$/.exec(part) ?? [];
		if (name === undefined) throw new Error(`this table does not know the condition ${part}`);
		const attribute = item[name.startsWith("#") ? (ExpressionAttributeNames[name] ?? "") : name];
		if (value === undefined) return attribute === undefined;
		return attribute !== undefined && readValue(attribute) === readValue(ExpressionAttributeValues[value]);
	});
}

function readValue(value: DynamodbItem[string] | undefined): string {
	const text = value?.S ?? value?.N;
	if (text === undefined) throw new Error("a value is missing");
	return text;
}
