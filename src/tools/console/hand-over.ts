/** A received delivery, for the page /explain. */
export interface DeliveryToExplain {
	readonly headers: Readonly<Record<string, string>>;
	/** The raw body. */
	readonly body: string;
	/** The receiver's time in ISO 8601; empty for this machine's time. */
	readonly now: string;
}

/** A request of the log, for the page /docs. */
export interface RequestToRepeat {
	readonly operationId: string;
	readonly path: string;
	/** With its question mark, or empty. */
	readonly query: string;
	readonly body: string;
}

/** What the pages hand to each other, by the path of the page that receives it. */
export interface HandOvers {
	"/explain": DeliveryToExplain;
	"/docs": RequestToRepeat;
}

/** Keeps a value for the page that is opened next in this tab. It is never part of an address. */
export function handOver<Path extends keyof HandOvers>(path: Path, value: HandOvers[Path]): void {
	sessionStorage.setItem(keyOf(path), JSON.stringify(value));
}

/** Returns and removes the value that was handed to this page. */
export function takeHandOver<Path extends keyof HandOvers>(path: Path): HandOvers[Path] | undefined {
	const kept = sessionStorage.getItem(keyOf(path));
	if (kept === null) return undefined;
	sessionStorage.removeItem(keyOf(path));
	// Only `handOver` of the same build writes it.
	const value: HandOvers[Path] = JSON.parse(kept);
	return value;
}

function keyOf(path: string): string {
	return `messaging-gateway-for-${path}`;
}
