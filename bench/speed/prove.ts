/** Throws if a contender does not do its work correctly. */
export function prove(isRight: boolean, claim: string): void {
	if (!isRight) throw new Error(`not measured, since it is wrong: ${claim}`);
}

/** Whether a verifier rejects its input: by throwing, rejecting or returning false. */
export async function rejects(run: () => unknown): Promise<boolean> {
	try {
		return (await run()) === false;
	} catch {
		return true;
	}
}
