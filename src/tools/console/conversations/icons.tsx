/** Paths in a 16 × 16 view box, stroked 1.6 wide. */
const PATHS = {
	attach: "M13 7.5 7.8 12.7a3 3 0 0 1-4.3-4.2L9 3a2 2 0 0 1 2.9 2.9l-5.4 5.3a1 1 0 0 1-1.4-1.4L10 5",
	back: "M10 3 5 8l5 5",
	chat: "M2.5 3.5h11v7.5h-6l-3 2.5V11h-2z",
	check: "m3 8.5 3.2 3.2L13 4.6",
	clock: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2m0 3v3.2l2.2 1.5",
	close: "m4 4 8 8m0-8-8 8",
	code: "M5.5 4.5 2 8l3.5 3.5m5-7L14 8l-3.5 3.5",
	down: "M8 3v10m-4-4 4 4 4-4",
	download: "M8 2.5v7.5m-3.2-3L8 10.2 11.2 7M3 13.5h10",
	failed: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2m0 3v3.6m0 2.3v.2",
	fault: "M9 1.8 3.5 9H8l-1 5.2L12.5 7H8z",
	file: "M4 2h5l3 3v9H4zM9 2v3h3",
	link: "M6.8 9.2 9.2 6.8M7.5 4.6l1-1a2.8 2.8 0 0 1 4 4l-1 1m-3 2.8-1 1a2.8 2.8 0 0 1-4-4l1-1",
	mapping: "M2.5 13V9.5M6.2 13V3.5m3.6 9.5V7m3.7 6V5",
	plus: "M8 3v10M3 8h10",
	react: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M5.5 9.5c1 2 4 2 5 0M6 6.2v.2m4-.2v.2",
	read: "m1.5 8.7 2.8 2.8 5.6-6.2M7.3 11l.6.5 5.6-6.2",
	redeliver: "M13 8a5 5 0 1 1-1.6-3.7M13 2.2v2.6h-2.6",
	agent: "M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3",
	webhook:
		"M8 5.2a2.4 2.4 0 1 1 1.6-.6l2 3.6M7 4.8 4.9 8.6M6.6 11H11m2.5 0a2 2 0 1 1-1.3-1.9M6.6 11a2.2 2.2 0 1 1-1.9-2.2",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon. Without a `label` it is hidden from screen readers. */
export function Icon({ name, label, class: className }: { name: IconName; label?: string; class?: string }) {
	return (
		<svg
			class={`icon ${className ?? ""}`}
			viewBox="0 0 16 16"
			width="16"
			height="16"
			role={label === undefined ? undefined : "img"}
			aria-label={label}
			aria-hidden={label === undefined}
		>
			<path d={PATHS[name]} />
		</svg>
	);
}
