import { type ComponentChild, render } from "preact";
import { CONSOLE_PAGES } from "./page.ts";

/** Shows the page of a path, below the header that all pages have. */
export function showPage(path: string, content: ComponentChild): void {
	const root = document.getElementById("app");
	if (root === null) return;
	render(
		<>
			<header class="shell-header beside">
				<strong>messaging-gateway</strong>
				<nav class="beside" aria-label="Pages">
					{Object.entries(CONSOLE_PAGES).map(([other, { title }]) => (
						<a key={other} {...(other === path ? { "aria-current": "page" } : { href: other })}>
							{title}
						</a>
					))}
				</nav>
				<span class="notice muted">Local gateway, for development</span>
			</header>
			<main>{content}</main>
		</>,
		root,
	);
}
