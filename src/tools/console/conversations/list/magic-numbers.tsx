import { MAGIC_NUMBERS } from "../../../local-gateway/magic-numbers.ts";

/** The numbers with special behaviour. */
export function MagicNumberTable() {
	return (
		<dl class="magic-numbers">
			{MAGIC_NUMBERS.map(({ number, name, behaviour }) => (
				<div key={number}>
					<dt>
						<code>{number}</code> <span>{name}</span>
					</dt>
					<dd class="muted">{behaviour}</dd>
				</div>
			))}
		</dl>
	);
}

/** The same numbers as suggestions for an input. */
export function MagicNumberOptions({ id }: { id: string }) {
	return (
		<datalist id={id}>
			{MAGIC_NUMBERS.map(({ number, name }) => (
				<option key={number} value={number}>
					{name}
				</option>
			))}
		</datalist>
	);
}
