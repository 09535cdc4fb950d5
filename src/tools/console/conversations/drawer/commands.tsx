import type { FailureDiagnosis } from "../../../control/contract.ts";
import { CopySource } from "../controls.tsx";

/** Whether a button above does what is to be done. */
export function hasFix(diagnosis: FailureDiagnosis | undefined): boolean {
	const [first] = diagnosis?.remedies ?? [];
	return (first?.actions ?? first?.asksFor) !== undefined;
}

/** The commands that fix it, to copy. */
export function Commands({ diagnosis }: { diagnosis: FailureDiagnosis | undefined }) {
	return (
		<>
			{diagnosis?.remedies.map(
				({ label, command, asksFor }) =>
					// What needs a URL is done in its field.
					command !== undefined &&
					asksFor === undefined && <CopySource key={label} label={command} write={async () => command} />,
			)}
		</>
	);
}
