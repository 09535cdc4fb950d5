/** How long a log waits after a keystroke before it searches. */
export const TYPING_DELAY_MS = 250;

/** The filters that every log has. */
export interface LogFilterValues {
	readonly isOnlyFailed: boolean;
	readonly search: string;
}

/** A checkbox for what failed, and a search field. */
export function LogFilters(props: {
	/** What is searched, such as `requests`. */
	of: string;
	values: LogFilterValues;
	onValues: (values: LogFilterValues) => void;
}) {
	const { values, onValues } = props;
	return (
		<>
			<input
				type="search"
				class="log-search"
				dir="auto"
				placeholder="Search texts, numbers, ids"
				aria-label={`Search ${props.of}`}
				value={values.search}
				onInput={(event) => onValues({ ...values, search: event.currentTarget.value })}
			/>
			<label class="check">
				<input
					type="checkbox"
					checked={values.isOnlyFailed}
					onChange={(event) => onValues({ ...values, isOnlyFailed: event.currentTarget.checked })}
				/>
				Failed only
			</label>
		</>
	);
}
