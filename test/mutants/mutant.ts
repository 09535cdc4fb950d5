/** A defect, planted on purpose: tests that none of them turns red prove less than they seem to. */
export interface Mutant {
	/** Short and unique. */
	readonly id: string;
	/** The file, relative to the repository. */
	readonly file: string;
	/** What is replaced; it occurs exactly once in the file. */
	readonly find: string;
	readonly replacement: string;
	/** What goes wrong for a user. */
	readonly harm: string;
	/** Where tests see it most likely: how their paths begin. */
	readonly tests: readonly string[];
	/** Tests that see any change of the file, such as of a digest, and so prove nothing. */
	readonly except?: string;
}
