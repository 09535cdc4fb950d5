/** The addresses of the site: each document has the name of its file, and each of its headings is a result of the search. */
import { basename } from "node:path";
import { DocumentReflection, type PageDefinition, type Reflection, Slugger, StructureRouter } from "typedoc";
import { readDocuments } from "./documents.ts";

const DOCUMENTS = readDocuments();

/** Lines of code look like headings, so blocks are left out. */
const BLOCKS = /^```[\s\S]*?^```/gm;
/** A heading comes before the members of types that have the same word: who looks for "outcome" has a question. */
const HEADING_BOOST = 100;
const HEADINGS = /^#{2,4} (.+)$/gm;

export class GuideRouter extends StructureRouter {
	override getIdealBaseName(reflection: Reflection): string {
		const document = reflection.isDocument()
			? DOCUMENTS.find(({ title }) => title === reflection.name)
			: undefined;
		return document === undefined
			? super.getIdealBaseName(reflection)
			: basename(document.path, ".md").toLowerCase();
	}

	/** Adds the headings of a document, which typedoc does not search. */
	protected override buildChildPages(reflection: Reflection, pages: PageDefinition[]): void {
		super.buildChildPages(reflection, pages);
		const document = DOCUMENTS.find(({ title }) => reflection.isDocument() && title === reflection.name);
		if (document === undefined) return;
		// The page's own one counts headings when they are rendered.
		const slugger = new Slugger({ lowercase: true });
		slugger.slug(document.title);
		for (const [, text = ""] of document.markdown.replace(BLOCKS, "").matchAll(HEADINGS)) {
			const name = text.replace(/`|\[([^\]]*)\]\([^)]*\)/g, "$1");
			const heading = new DocumentReflection(name, reflection, [], {});
			heading.relevanceBoost = HEADING_BOOST;
			// As typedoc does: an anchor has none of the heading's code.
			const anchor = slugger.slug(text.replace(/`[^`]*`/g, ""));
			this.fullUrls.set(heading, `${this.getFullUrl(reflection)}#${anchor}`);
		}
	}
}
