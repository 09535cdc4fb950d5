import type { OperationId } from "../../../library/catalogue/index.ts";
import { OPERATION_WORDS } from "./operation-words.ts";
import { wordsOf } from "./words.ts";

/** Words of a path that say no more than that something is read. */
const READS =
	/^(list|get|find|search|fetch|query|status|lookup|check|stat|show|describe|all|info|detail|summary|overview|current|depth|count|size|total|index|by|json|v\d+|\d+)$/;

/**
 * What the path of a GET says it does: nothing but read what the operation is about, more than that, such as
 * `/agents/refresh`, or something that nobody knows, such as `/evaluate-service`.
 */
export function judgeRead(id: OperationId, path: string): "reads" | "does_more" | "unknown" {
	const { needs } = OPERATION_WORDS[id];
	const isNeeded = (word: string): boolean => needs.some((need) => need.test(word));
	const segments = path
		.split("/")
		.filter((segment) => segment !== "" && !segment.startsWith("{"))
		.map(wordsOf);
	const first = segments.findIndex((words) => words.some(isNeeded));
	if (first === -1) return "unknown";
	const rest = segments.slice(first).flat();
	return rest.every((word) => isNeeded(word) || READS.test(word)) ? "reads" : "does_more";
}
