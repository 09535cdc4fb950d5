/** How many requests were rejected since the log was last in view. */
export function RejectedBadge({ count }: { count: number }) {
	if (count === 0) return null;
	return (
		<span class="count-badge">
			{count > 99 ? "99+" : count}
			<span class="visually-hidden"> new rejected</span>
		</span>
	);
}
