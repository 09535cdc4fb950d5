/** Imports a peer: from here, since the project itself does not have it. */
export function importPeer(name: string): Promise<unknown> {
	return import(name);
}

/** The address that an import of a peer resolves to. */
export function resolvePeer(name: string): string {
	return import.meta.resolve(name);
}
