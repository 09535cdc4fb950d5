import type { OperationId } from "../../../library/catalogue/index.ts";
import type { PlannedOperation } from "../plan/plan-types.ts";
import type { Understood } from "./understand.ts";

/** What a read notes that proves nothing; another one may prove more. */
export const NOT_SEEN = "not seen: ";
export const ONE_PAGE = "seen, one page: its paging isn't proven";

export function isOfRead(note: string): boolean {
	return note.startsWith(NOT_SEEN);
}

/** A plan, and what was proven of it so far. */
export class ProvenPlan {
	readonly #operations: Map<OperationId, PlannedOperation>;

	constructor(plan: readonly PlannedOperation[]) {
		this.#operations = new Map(plan.map((planned) => [planned.id, planned]));
	}

	/** The operations with what was proven of them. */
	get plan(): readonly PlannedOperation[] {
		return [...this.#operations.values()];
	}

	planOf(id: OperationId): PlannedOperation {
		const planned = this.#operations.get(id);
		if (planned === undefined) throw new RangeError(`${id} isn't in the plan`);
		return planned;
	}

	replace(planned: PlannedOperation): void {
		this.#operations.set(planned.id, planned);
	}

	/** Notes what was seen; what lacks fields, or may be taken from other ones, is not certain. */
	conclude(id: OperationId, proof: string, { lacks, doubt }: Understood): void {
		if (lacks.length > 0) this.accept(id, `${proof}, without ${lacks.join(", ")}`);
		else if (doubt !== undefined) this.accept(id, `${proof}, but ${doubt}`);
		else this.prove(id, proof);
	}

	/** Notes that an operation works, and how that was seen. */
	prove(id: OperationId, proof: string): void {
		const planned = this.planOf(id);
		const notes = planned.notes.filter((note) => !isOfRead(note));
		this.#operations.set(id, { ...planned, certainty: "certain", proof, questions: [], notes });
	}

	/** Notes that a call was accepted, and that nothing shows what it did. */
	accept(id: OperationId, proof: string): void {
		const planned = this.planOf(id);
		const { proof: before } = planned;
		const isSaid = before === undefined || (before.startsWith("seen") && proof.startsWith("seen"));
		const proofs = isSaid ? proof : before.split(", ").includes(proof) ? before : `${before}, ${proof}`;
		this.#operations.set(id, { ...planned, certainty: "likely", proof: proofs, questions: [] });
	}

	/** Notes what is open: it stays out of the profile. */
	ask(planned: PlannedOperation, message: string): undefined {
		const { id } = planned;
		const flag = `--set ${id}="METHOD /path"`;
		this.#operations.set(id, {
			...planned,
			certainty: "open",
			profile: undefined,
			questions: [{ message, flag: planned.source === "flags" ? undefined : flag }],
		});
	}

	note(planned: PlannedOperation, note: string): undefined {
		const notes = [...new Set([...planned.notes, note])];
		this.#operations.set(planned.id, { ...planned, notes });
	}
}
