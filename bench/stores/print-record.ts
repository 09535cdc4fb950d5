import { align } from "./align.ts";
import type { Figures } from "./measure.ts";
import type { StoresRecord, SubjectRecord } from "./record.ts";

/** A run as tables for a terminal. */
export function printRecord(record: StoresRecord): string {
	const { machine, settings, subjects, rates = [] } = record;
	return [
		`${machine.cpu}, ${machine.cores} cores, ${machine.platform}, Node ${machine.node}; load before the run ${machine.loadBefore}, at its end ${machine.loadAfter}`,
		`${settings.rounds} rounds of ${settings.roundMs} ms for each contender, in turns; medians. Clients and servers share the machine.`,
		"",
		align([
			["store", "server", "client"],
			...subjects.map(({ name, server, client }) => [name, server, client]),
		]),
		"",
		"Speed. The raw peer: SET NX PX and SET XX PX for each step in Redis, an upsert of one row in the databases.",
		"",
		align([SPEED_HEAD, ...subjects.flatMap(speedRows)]),
		"",
		`Bytes of a done event and of a bound delivery, ${settings.events} of each stored`,
		"",
		align([["store", "piece", "bytes"], ...subjects.flatMap(byteRows)]),
		"",
		"Calls of the client for one delivery to a webhook handler, on average, sweeps included",
		"",
		align([CALLS_HEAD, ...subjects.map(callRow)]),
		"",
		"Updates in PostgreSQL that wrote to no index (HOT)",
		"",
		align(
			subjects.flatMap(({ name, heapOnlyPercent }) =>
				heapOnlyPercent === undefined ? [] : [[name, `${heapOnlyPercent} %`]],
			),
		),
		"",
		"Deliveries over HTTP that receivers of Express keep up with: new events, and of 20 of them one again",
		"",
		align([
			["store", "receivers", "events per second", "p50 ms", "p99 ms", "events", "repeats"],
			...rates.map((rate) => Object.values(rate).map((figure) => figure.toLocaleString("en"))),
		]),
	].join("\n");
}

const SPEED_HEAD = [
	"store",
	"operation",
	"workers",
	"per second",
	"p50 ms",
	"p99 ms",
	"raw per second",
	"p50 ms",
	"p99 ms",
	"ratio",
];

function speedRows({ name, speeds }: SubjectRecord): string[][] {
	return speeds.map(({ operation, workers, store, raw, ratio }) => [
		name,
		operation,
		String(workers),
		...printFigures(store),
		...(raw === undefined ? ["-", "-", "-"] : printFigures(raw)),
		ratio?.toFixed(2) ?? "-",
	]);
}

function printFigures({ perSecond, p50Ms, p99Ms }: Figures): string[] {
	return [perSecond.toLocaleString("en"), p50Ms.toPrecision(3), p99Ms.toPrecision(3)];
}

function byteRows({ name, bytes }: SubjectRecord): string[][] {
	if (bytes === undefined) return [[name, "not measured: it needs --expose-gc", "-"]];
	return Object.entries({ "done event": bytes.doneEvent, "bound delivery": bytes.boundDelivery }).flatMap(
		([piece, sizes]) =>
			Object.entries(sizes).map(([part, size]) => [
				name,
				part === "total" ? piece : `${piece}, ${part}`,
				String(size),
			]),
	);
}

const CALLS_HEAD = [
	"store",
	"first",
	"first, bindDelivery: false",
	"repeat of a done one",
	"repeat in flight",
];

function callRow({ name, roundTrips }: SubjectRecord): string[] {
	const { first, firstWithoutBinding, repeatOfDone, repeatInFlight } = roundTrips;
	return [
		name,
		...[first, firstWithoutBinding, repeatOfDone, repeatInFlight].map((calls) => calls.toFixed(2)),
	];
}
