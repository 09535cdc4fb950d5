import { useEffect, useState } from "preact/hooks";

/** The decoded fragment of the address, kept up to date. */
export function useHash(): string {
	const [hash, setHash] = useState(readHash);
	useEffect(() => {
		const update = (): void => setHash(readHash());
		addEventListener("hashchange", update);
		return () => removeEventListener("hashchange", update);
	}, []);
	return hash;
}

function readHash(): string {
	try {
		return decodeURIComponent(location.hash.slice(1));
	} catch {
		// A stray percent sign.
		return location.hash.slice(1);
	}
}
