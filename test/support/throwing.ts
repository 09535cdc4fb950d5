/** A function that throws this. */
export function throwing(error: unknown): () => never {
	return () => {
		throw error;
	};
}
