import type { ComponentChildren } from "preact";

/** The pages of the console, by their paths. */
const PAGES = [
	{ path: "/", title: "Conversations" },
	{ path: "/docs", title: "API" },
	{ path: "/explain", title: "Signatures" },
] as const;

export type PagePath = (typeof PAGES)[number]["path"];

/** The header of every page: navigation, and a notice that it is for development. */
export function Shell({ current, children }: { current: PagePath; children: ComponentChildren }) {
	return (
		<>
			<header class="shell-header">
				<strong>messaging-gateway</strong>
				<nav aria-label="Pages">
					{PAGES.map(({ path, title }) => (
						<a key={path} {...(path === current ? { "aria-current": "page" } : { href: path })}>
							{title}
						</a>
					))}
				</nav>
				<span class="notice muted">Local gateway, for development</span>
			</header>
			<main>{children}</main>
		</>
	);
}
