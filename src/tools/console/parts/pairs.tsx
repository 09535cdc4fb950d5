import { CopyButton } from "./copy-button.tsx";
import { Prose } from "./prose.tsx";

interface PairsProps {
	readonly pairs: readonly {
		readonly name: string;
		readonly value: string | undefined;
		readonly about?: string | undefined;
	}[];
	/** Shown in place of a value that is `undefined`. */
	readonly missing?: string;
	/** Whether each value has a button that copies it. */
	readonly canCopy?: boolean;
}

export function Pairs({ pairs, missing, canCopy = false }: PairsProps) {
	return (
		<dl class="pairs">
			{pairs.map(({ name, value, about = "" }) => (
				<div key={`${name} ${value}`}>
					<dt>{name}</dt>
					<dd class="beside">
						{value === undefined ? <em class="muted">{missing}</em> : <code>{value}</code>}{" "}
						<Prose text={about} />
						{canCopy && value !== undefined && <CopyButton of={name} text={value} />}
					</dd>
				</div>
			))}
		</dl>
	);
}
