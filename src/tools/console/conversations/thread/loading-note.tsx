/** A note over the list: more is being loaded, or why that failed. */
export function LoadingNote(props: {
	what: string;
	isLoading: boolean;
	problem: string | null;
	onRetry: () => void;
}) {
	const { what, isLoading, problem, onRetry } = props;
	return (
		<div class="loading-note" role="status">
			{isLoading && <span class="chip">Loading {what}…</span>}
			{problem !== null && (
				<span class="chip bad">
					{problem}
					<button type="button" class="quiet" onClick={onRetry}>
						Try again
					</button>
				</span>
			)}
		</div>
	);
}
