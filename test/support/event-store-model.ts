import type { ClaimResult, EventStore } from "messaging-gateway/webhooks";

interface ModelRecord {
	token: number;
	attempt: number;
	state: "held" | "free" | "done";
	leaseEndsAt: number;
	endsAt: number;
}

/**
 * What an event store does, said as plainly as can be: no bounds, no order, one record for each key. Its tokens
 * are its own.
 */
export class EventStoreModel implements EventStore {
	readonly #records = new Map<string, ModelRecord>();
	nowMs = 0;

	#live(key: string): ModelRecord | undefined {
		const record = this.#records.get(key);
		return record !== undefined && this.nowMs < record.endsAt ? record : undefined;
	}

	#heldBy(key: string, token: number): ModelRecord | undefined {
		const record = this.#live(key);
		return record?.state === "held" && record.token === token ? record : undefined;
	}

	async claim(
		key: string,
		{ leaseMs, retentionMs }: { leaseMs: number; retentionMs: number },
	): Promise<ClaimResult> {
		const record = this.#live(key);
		if (record?.state === "done") return { status: "done" };
		if (record?.state === "held" && this.nowMs < record.leaseEndsAt)
			return { status: "in_flight", retryAfterMs: record.leaseEndsAt - this.nowMs };
		const token = (this.#records.get(key)?.token ?? 0) + 1;
		const attempt = (record?.attempt ?? 0) + 1;
		const [leaseEndsAt, endsAt] = [this.nowMs + leaseMs, this.nowMs + retentionMs];
		this.#records.set(key, { token, attempt, state: "held", leaseEndsAt, endsAt });
		return { status: "acquired", token, attempt };
	}

	async extend(key: string, token: number, leaseMs: number): Promise<boolean> {
		const record = this.#heldBy(key, token);
		if (record === undefined) return false;
		record.leaseEndsAt = this.nowMs + leaseMs;
		record.endsAt = Math.max(record.endsAt, record.leaseEndsAt);
		return true;
	}

	async complete(key: string, token: number, retentionMs: number): Promise<boolean> {
		const record = this.#live(key);
		if (record === undefined || record.state === "free" || record.token !== token) return false;
		Object.assign(record, { state: "done", endsAt: this.nowMs + retentionMs });
		return true;
	}

	async release(key: string, token: number, { unused = false } = {}): Promise<boolean> {
		const record = this.#heldBy(key, token);
		if (record === undefined) return false;
		if (unused) record.attempt--;
		record.state = "free";
		return true;
	}
}
