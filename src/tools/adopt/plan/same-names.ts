import { namesPath } from "../../../library/catalogue/known-path.ts";
import { pathParameters, usesQuery } from "../../../library/catalogue/operation.ts";
import type { OperationMap, RequestMap, ResponseMap } from "../../../library/catalogue/operation-map.ts";
import type { CatalogueOperation } from "../../routes.ts";
import type { WireLeaf } from "./wire-leaves.ts";
import { joined } from "./words.ts";

/** Leaves out of a map what keeps its names and its places: then a field that the map lacks stays as it is, too. */
export function withoutSameNames(
	operation: CatalogueOperation,
	{ request, response }: OperationMap,
	leaves: readonly WireLeaf[],
): OperationMap {
	const isSameRequest =
		request !== undefined && hasAllFields(operation, leaves) && isSame(operation, request);
	return {
		...(request !== undefined && !isSameRequest && { request }),
		...(response !== undefined && !isSameResponse(operation, response) && { response }),
	};
}

/** Fields that a document may lack: without a map they would be sent nevertheless. */
export const OPTIONAL =
	"to groupId participants groupName from text effect replyToGuid statusCallback partIndex durationMs messageGuid agentNumber fromAgentNumber name maxConsecutiveMessages reason limit cursor status after before".split(
		" ",
	);

function hasAllFields({ input, wireNames }: CatalogueOperation, leaves: readonly WireLeaf[]): boolean {
	const names: Readonly<Record<string, string>> = wireNames;
	return OPTIONAL.filter((field) => namesPath(input, field)).every((field) =>
		leaves.some(({ key }) => key === joined(names[field] ?? field)),
	);
}

function isSame({ method, path, wireNames }: CatalogueOperation, request: RequestMap): boolean {
	const names: Readonly<Record<string, string>> = wireNames;
	const inPath = pathParameters(path);
	return Object.entries(request).every(([place, source]) => {
		const bare = place.replace(/^[?{]|\}$|\[\]$/g, "");
		const part = inPath.includes(bare) ? `{${bare}}` : usesQuery(method) ? `?${bare}` : bare;
		if (place.replace(/\[\]$/, "") !== part) return false;
		if (typeof source === "string") return bare === (names[source] ?? source);
		if ("each" in source)
			return source.each === bare && typeof source.item !== "string" && keepsNames(source.item);
		const isKept = "from" in source && source.from === bare && source.unit === undefined;
		return isKept && Object.entries(source.map ?? {}).every(([ours, wire]) => ours === wire);
	});
}

function keepsNames(item: RequestMap): boolean {
	return Object.entries(item).every(([place, source]) => place === source);
}

function isSameResponse({ pageItems }: CatalogueOperation, { list, fields, next }: ResponseMap): boolean {
	const isSamePage = pageItems === undefined || (list === pageItems && isSameNext(next));
	return (
		isSamePage &&
		Object.entries(fields).every(([name, field]) => typeof field !== "string" || field === name) &&
		Object.values(fields).every((field) => typeof field === "string" || "value" in field)
	);
}

function isSameNext(next: ResponseMap["next"]): boolean {
	return next !== undefined && "cursor" in next && next.cursor === "nextCursor";
}
