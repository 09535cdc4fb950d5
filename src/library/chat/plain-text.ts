import type { CardChild, CardElement, Content, FormattedContent, List, ListItem } from "chat";
import * as sdk from "chat";

/** Plain text, in which a list keeps its marks, and a link or an image its URL. */
export function renderText(content: FormattedContent): string {
	const copy = structuredClone(content);
	const urls = new Map<string, string>();
	sdk.walkAst(copy, (node) => {
		if (node.type === "definition") urls.set(node.identifier, node.url);
		return node;
	});
	return sdk.toPlainText(sdk.walkAst(copy, (node) => toPlainNode(node, urls)));
}

function toPlainNode(node: Content, urls: ReadonlyMap<string, string>): Content {
	switch (node.type) {
		case "list":
			return { ...node, children: node.children.map((item, at) => markItem(node, item, at)) };
		case "link":
		case "image":
			return sdk.text(renderUrl(sdk.toPlainText(sdk.root([node])), node.url));
		case "linkReference":
		case "imageReference":
			return sdk.text(renderUrl(sdk.toPlainText(sdk.root([node])), urls.get(node.identifier) ?? ""));
		default:
			return node;
	}
}

function markItem({ ordered, start }: List, { checked, ...item }: ListItem, at: number): ListItem {
	const box = typeof checked === "boolean" ? (checked ? "[x] " : "[ ] ") : "";
	const mark = sdk.text(`${ordered ? `${(start ?? 1) + at}.` : "-"} ${box}`);
	const [first, ...rest] = item.children;
	if (first?.type !== "paragraph") return { ...item, children: [sdk.paragraph([mark]), ...item.children] };
	return { ...item, children: [sdk.paragraph([mark, ...first.children]), ...rest] };
}

/** A label that is its URL, an address or a number already shows where it leads. */
function renderUrl(label: string, url: string): string {
	const [shown, target] = [label, url].map((text) => text.replace(/^(?:https?:\/\/|mailto:|tel:)/, ""));
	if (label === "") return url;
	return url === "" || shown === target ? label : `${label} (${url})`;
}

export function renderCard({ title, subtitle, imageUrl, children }: CardElement): string {
	return joinLines([title, subtitle, imageUrl, ...children.map(renderCardChild)]);
}

/** Nobody can press a button in a text, but a link in it can be opened. */
function renderCardChild(child: CardChild): string | null {
	switch (child.type) {
		case "text":
			return renderText(sdk.parseMarkdown(child.content));
		case "image":
			return renderUrl(child.alt ?? "", child.url);
		case "section":
			return joinLines(child.children.map(renderCardChild));
		case "actions":
			return joinLines(
				child.children.map((action) =>
					action.type === "link-button" ? renderUrl(action.label, action.url) : null,
				),
			);
		default:
			return sdk.cardChildToFallbackText(child);
	}
}

function joinLines(lines: readonly (string | null | undefined)[]): string {
	return lines.filter((line) => line).join("\n");
}
