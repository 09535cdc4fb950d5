import type { LocalGateway } from "messaging-gateway/testing";
import type { JournalReader } from "./journal.ts";
import type { JournaledRun, Outcome } from "./verdict.ts";

/** Reads the results of the events: from the sender, and from the journal. */
export async function readOutcome(journal: JournalReader, sender: LocalGateway): Promise<Outcome> {
	const events = sender.deliveries.map(({ eventId, state }) => ({
		eventId,
		isDelivered: state === "delivered",
	}));
	const effects = await journal.query("SELECT event_id, token FROM effects");
	const runs = await journal.query(
		`SELECT event_id, worker, token, ended, was_held, was_rejected, acknowledged,
			extract(epoch FROM began_at) AS began_at, extract(epoch FROM ended_at) AS ended_at FROM runs`,
	);
	return {
		events,
		effects: new Map(effects.map((row) => [String(row["event_id"]), Number(row["token"])])),
		runs: runs.map((row) => ({
			eventId: String(row["event_id"]),
			worker: String(row["worker"]),
			token: Number(row["token"]),
			beganAt: Number(row["began_at"]),
			endedAt: row["ended_at"] === null ? null : Number(row["ended_at"]),
			wasHeld: row["was_held"] === true,
			wasRejected: row["was_rejected"] === true,
			ended: row["ended"] as JournaledRun["ended"],
			acknowledged: row["acknowledged"] as JournaledRun["acknowledged"],
		})),
	};
}
