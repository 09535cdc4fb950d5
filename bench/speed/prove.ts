/** Throws where a contender does not do what it is measured for. */
export function prove(isRight: boolean, claim: string): void {
	if (!isRight) throw new Error(`not measured, since it is wrong: ${claim}`);
}

/** Whether something throws or rejects, as a verifier does that refuses. */
export async function refuses(run: () => unknown): Promise<boolean> {
	try {
		return (await run()) === false;
	} catch {
		return true;
	}
}
