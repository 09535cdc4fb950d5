/** Makes one site of the guides and the API reference: the documents in reading order, under their own headings. */
import { basename } from "node:path";
import {
	Application,
	Converter,
	type DocumentReflection,
	JSX,
	PageEvent,
	type Reflection,
	StructureRouter,
} from "typedoc";
import { readDocuments } from "./documents.ts";
import { writeLlmsFiles } from "./llms.ts";

const DOCUMENTS = readDocuments();

/** The function that typedoc calls. */
export function load(app: Application): void {
	app.on(Application.EVENT_BOOTSTRAP_END, () => {
		app.options.setValue(
			"projectDocuments",
			DOCUMENTS.map(({ path }) => path),
		);
	});
	app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, reflection: DocumentReflection) => {
		const document = findDocument(reflection.name);
		reflection.name = document.title;
		reflection.frontmatter["group"] = "Guides";
	});
	app.renderer.defineRouter("guides", GuideRouter);
	app.renderer.hooks.on("head.end", () => JSX.createElement("link", { rel: "icon", href: "data:," }));
	app.renderer.on(PageEvent.END, (page) => {
		if (page.contents === undefined) return;
		page.contents = makeReachable(page.url === "index.html" ? addPictures(page.contents) : page.contents);
	});
	app.renderer.postRenderAsyncJobs.push(async ({ outputDirectory }) => writeLlmsFiles(outputDirectory));
}

/** Gives a document the address of its file name, beside the entries of the package. */
class GuideRouter extends StructureRouter {
	override getIdealBaseName(reflection: Reflection): string {
		const document = reflection.isDocument()
			? DOCUMENTS.find(({ title }) => title === reflection.name)
			: undefined;
		return document === undefined
			? super.getIdealBaseName(reflection)
			: basename(document.path, ".md").toLowerCase();
	}
}

/** The front page opens with the pictures of docs/performance.md, which typedoc has copied for its page. */
function addPictures(html: string): string {
	const performance = DOCUMENTS.find(({ path }) => path === "docs/performance.md");
	const pictures = Array.from(
		performance?.markdown.matchAll(/!\[(.+)\]\(images\/(.+)\)/g) ?? [],
		([, alt, file]) => `<a href="performance.html"><img src="media/${file}" alt="${alt}"/></a>`,
	);
	return html.replace("</p>", `</p><p class="pictures">${pictures.join("")}</p>`);
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

function findDocument(name: string) {
	const document = DOCUMENTS.find(({ path }) => path === `${name}.md`);
	if (document === undefined) throw new Error(`${name} is not a document of the site`);
	return document;
}
