import type { ChangedItem, ChangeListener } from "../local-gateway/change-feed.ts";
import type { HandledRequest } from "../local-gateway/traffic.ts";
import type { RequestView } from "./contract.ts";
import type { FailureCounts } from "./failure-counts.ts";

const MAX_REQUESTS = 1_000;

/** The maximum length of all kept bodies together; attachments would otherwise fill the memory. */
const MAX_BODY_CHARACTERS = 32 * 1024 * 1024;

/** A request and how it is shown, which says what was known when it was over. */
export interface LoggedRequest {
	readonly sequence: number;
	readonly request: HandledRequest;
	readonly view: RequestView;
}

/** The last requests that are over, in their order; the oldest are dropped when there are too many. */
export class RequestLog implements ChangeListener {
	readonly #requests = new Map<string, LoggedRequest>();
	readonly #toView: (request: HandledRequest) => RequestView;
	readonly #failures: FailureCounts;
	#bodyCharacters = 0;

	constructor(toView: (request: HandledRequest) => RequestView, failures: FailureCounts) {
		this.#toView = toView;
		this.#failures = failures;
	}

	changed(item: ChangedItem): void {
		if (item.type !== "request") return;
		const { request } = item;
		const { requestId, sequence, probe } = request;
		const view = this.#toView(request);
		this.#requests.set(requestId, { sequence, request, view });
		this.#failures.note(view.conversationKey, request, view.diagnosis !== undefined && probe === undefined);
		this.#bodyCharacters += bodyCharactersOf(request);
		for (const { request: oldest, view: oldestView } of this.#requests.values()) {
			if (this.#requests.size <= MAX_REQUESTS && this.#bodyCharacters <= MAX_BODY_CHARACTERS) break;
			this.#requests.delete(oldest.requestId);
			this.#failures.note(oldestView.conversationKey, oldest, false);
			this.#bodyCharacters -= bodyCharactersOf(oldest);
		}
	}

	dropped(): void {}

	reset(): void {
		this.#requests.clear();
		this.#bodyCharacters = 0;
	}

	all(): LoggedRequest[] {
		return [...this.#requests.values()];
	}

	find(requestId: string): LoggedRequest | undefined {
		return this.#requests.get(requestId);
	}
}

function bodyCharactersOf({ body, responseBody }: HandledRequest): number {
	return body.length + (responseBody?.length ?? 0);
}
