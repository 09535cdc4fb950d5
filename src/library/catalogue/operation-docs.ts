import { agentDocs } from "./agents.ts";
import { analyticsDocs } from "./analytics.ts";
import { healthDocs } from "./health.ts";
import type { OperationId } from "./index.ts";
import { mappingDocs } from "./mappings.ts";
import { messageDocs } from "./messages.ts";
import type { OperationDocs } from "./operation.ts";
import { queueDocs } from "./queue.ts";
import { sendDocs } from "./sends.ts";
import { settingsDocs } from "./settings.ts";

const DOCS: { readonly [Id in OperationId]: OperationDocs } = {
	...sendDocs,
	...messageDocs,
	...agentDocs,
	...mappingDocs,
	...settingsDocs,
	...analyticsDocs,
	...queueDocs,
	...healthDocs,
};

/** What only documents say of an operation. */
export function docsOf(id: OperationId): Required<Omit<OperationDocs, "section">> & OperationDocs {
	return { errors: [], methods: [id.slice(id.lastIndexOf(".") + 1)], ...DOCS[id] };
}

/** Where the specification shows an operation or event, or why it is our assumption. */
export function sourceOf({ section }: Pick<OperationDocs, "section">): string {
	return section === undefined
		? "Specification, section 4.4: methods, paths and payloads of this area are not shown."
		: `Specification, section ${section}.`;
}
