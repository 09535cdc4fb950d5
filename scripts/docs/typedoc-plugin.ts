/** Makes one site of the guides and the API reference: the documents in their groups, under their own headings. */
import { basename } from "node:path";
import {
	Application,
	Converter,
	DefaultTheme,
	type DocumentReflection,
	IndexEvent,
	JSX,
	type NavigationElement,
	PageEvent,
	type ProjectReflection,
	Reflection,
	ReflectionKind,
	type RouterTarget,
} from "typedoc";
import { type Document, firstSentence, GROUPS, readDocuments, readHomePage } from "./documents.ts";
import { guideOf } from "./entry-guides.ts";
import { GuideRouter } from "./guide-router.ts";
import { writeLlmsFiles } from "./llms.ts";
import { SECTIONS_OF_TYPES } from "./options.ts";

const DOCUMENTS = readDocuments();

/** The function that typedoc calls. */
export function load(app: Application): void {
	app.on(Application.EVENT_BOOTSTRAP_END, () => {
		app.options.setValue(
			"projectDocuments",
			DOCUMENTS.map(({ path }) => path),
		);
		app.options.setValue("theme", "guides");
	});
	app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, reflection: DocumentReflection) => {
		reflection.name = findDocument(`${reflection.name}.md`).title;
		reflection.frontmatter["group"] = "Guides";
	});
	app.renderer.defineRouter("guides", GuideRouter);
	app.renderer.defineTheme("guides", GuideTheme);
	app.renderer.hooks.on("head.end", () => JSX.createElement("link", { rel: "icon", href: "data:," }));
	app.renderer.hooks.on("content.begin", ({ page, relativeURL }) => {
		const guide = isReflection(page.model) ? guideOfPage(page.model) : undefined;
		if (guide === undefined) return JSX.createElement(JSX.Fragment, null);
		const link = JSX.createElement("a", { href: relativeURL(`${guide.name}.html`) }, guide.title);
		const section = SECTIONS_OF_TYPES[page.model.name];
		const anchor = section?.toLowerCase().replaceAll(" ", "-");
		const fields =
			section === undefined
				? []
				: [" · Fields: ", JSX.createElement("a", { href: relativeURL(`options.html#${anchor}`) }, "Options")];
		return JSX.createElement("p", { class: "guide" }, "Guide: ", link, ...fields);
	});
	app.renderer.on(IndexEvent.PREPARE_INDEX, leaveOutInherited);
	app.renderer.on(PageEvent.END, (page) => {
		if (page.contents === undefined) return;
		page.contents = makeReachable(describePage(page.contents, page.model));
	});
	app.renderer.postRenderAsyncJobs.push(async ({ outputDirectory }) => writeLlmsFiles(outputDirectory));
}

/** The sidebar: the groups of the guides, and then the entries of the package. */
class GuideTheme extends DefaultTheme {
	override buildNavigation(project: ProjectReflection): NavigationElement[] {
		const elements = super.buildNavigation(project);
		const groups = Object.keys(GROUPS).map((text) => {
			const titles = DOCUMENTS.filter(({ group }) => group === text).map(({ title }) => title);
			return { text, children: elements.filter((element) => titles.includes(element.text)) };
		});
		const inGroups = groups.flatMap(({ children }) => children);
		return [...groups, { text: "API", children: elements.filter((element) => !inGroups.includes(element)) }];
	}
}

/** A method that every subclass has would be found as often. */
function leaveOutInherited(event: IndexEvent): void {
	for (let at = event.searchResults.length - 1; at >= 0; at--) {
		const result = event.searchResults[at];
		if (result?.isDeclaration() && result.inheritedFrom !== undefined) event.removeResult(at);
	}
}

/** Gives a page its own description, for results of a search and for links that are shared. */
function describePage(html: string, model: RouterTarget): string {
	const description = descriptionOf(model);
	if (description === "") return html;
	const text = description.replace(/[`*]|\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/\s+/g, " ");
	return html.replace(
		/(<meta name="description" content=")[^"]*/,
		(_, start: string) => start + text.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
	);
}

function descriptionOf(model: RouterTarget): string {
	if (!isReflection(model)) return "";
	if (model.isProject()) return readHomePage().summary;
	if (model.isDocument()) return DOCUMENTS.find(({ title }) => title === model.name)?.summary ?? "";
	const signatures = model.isDeclaration() ? (model.signatures ?? []) : [];
	const comment = [model, ...signatures].find(({ comment }) => comment !== undefined)?.comment;
	const text = comment?.summary.map((part) => part.text).join("") ?? "";
	return text === "" ? `${model.name} in the API of ${model.project.name}.` : firstSentence(text);
}

/** The guide that leads to the page of an entry, or of something that the entry exports. */
function guideOfPage(model: Reflection): { name: string; title: string } | undefined {
	let entry: Reflection | undefined = model;
	while (entry !== undefined && !entry.kindOf(ReflectionKind.Module)) entry = entry.parent;
	const name = entry === undefined ? undefined : guideOf(entry.name);
	return name === undefined
		? undefined
		: { name: basename(name), title: findDocument(`docs/${name}.md`).title };
}

/** Lets keyboards reach elements that scroll sideways, and adds a link that jumps to the content. */
function makeReachable(html: string): string {
	return html
		.replace('<div class="col-content">', '<div class="col-content" role="main">')
		.replace(
			'<div class="page-menu">',
			'<div class="page-menu" role="complementary" aria-label="On this page">',
		)
		.replaceAll("<pre>", '<pre tabindex="0">')
		.replaceAll("<table>", '<div class="table" tabindex="0"><table>')
		.replaceAll("</table>", "</table></div>");
}

function isReflection(target: RouterTarget): target is Reflection {
	return target instanceof Reflection;
}

function findDocument(path: string): Document {
	const document = DOCUMENTS.find((one) => one.path === path);
	if (document === undefined) throw new Error(`${path} is not a document of the site`);
	return document;
}
