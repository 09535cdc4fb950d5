import { useEffect, useState } from "preact/hooks";

/** The value once it has stayed the same for this time, such as a search while it is typed. */
export function useDelayed(value: string, delayMs: number): string {
	const [delayed, setDelayed] = useState(value);
	useEffect(() => {
		const timer = setTimeout(() => setDelayed(value), delayMs);
		return () => clearTimeout(timer);
	}, [value, delayMs]);
	return delayed;
}
