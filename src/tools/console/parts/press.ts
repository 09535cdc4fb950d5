/** The longest that work waits for a press to end: some have no release. */
const MAX_PRESS_MS = 3_000;

let ending: ReturnType<typeof setTimeout> | undefined;
const waiting = new Set<() => void>();

/** A pointer or a key is down. */
export function startPress(): void {
	clearTimeout(ending);
	ending = setTimeout(endPress, MAX_PRESS_MS);
}

/** The press is over, and its click was handled: what waited for it runs. */
export function endPress(): void {
	clearTimeout(ending);
	ending = undefined;
	const tasks = [...waiting];
	waiting.clear();
	for (const task of tasks) task();
}

/**
 * Runs what moves rows, once no press is under way: if a row moved between press and release, the browser would give the
 * click to the list. The same function waits once.
 */
export function afterPress(task: () => void): void {
	if (ending === undefined) task();
	else waiting.add(task);
}
