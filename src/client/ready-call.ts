import type { Operation, RetryClass } from "../catalogue/operation.ts";
import type { OperationProfile } from "../catalogue/profile.ts";
import type { CallInfo } from "./observer.ts";
import type { Limits } from "./options.ts";
import type { PreparedRequest, RequestParts } from "./request.ts";

/** A call whose input was checked. */
export interface ReadyCall<Data> {
	/** What the hooks get. */
	info: CallInfo;
	operation: Operation<unknown, Data>;
	override: OperationProfile | undefined;
	retryClass: RetryClass;
	parts: RequestParts;
	request: PreparedRequest;
	/** The client's headers and the call's own. */
	headers: Readonly<Record<string, string>>;
	limits: Limits;
}
