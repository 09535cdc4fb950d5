import { useState } from "preact/hooks";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { Connection } from "../call/make-call.ts";
import type { Preparation } from "../call/prepare.ts";
import { writeCurlCode } from "../code/curl-code.ts";
import { writeSdkCode } from "../code/sdk-code.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { RequestContent } from "../form/read-draft.ts";

interface CodePanelProps {
	readonly operation: ApiOperation;
	readonly content: RequestContent | undefined;
	readonly preparation: Preparation | undefined;
	readonly connection: Connection;
}

const LANGUAGES = [
	{ id: "sdk", title: "TypeScript" },
	{ id: "curl", title: "curl" },
] as const;

/** The call in the form as code to copy, without the secret. */
export function CodePanel({ operation, content, preparation, connection }: CodePanelProps) {
	const [language, setLanguage] = useState<"sdk" | "curl">("sdk");
	const isReady = content !== undefined && preparation !== undefined && !("problem" in preparation);
	return (
		<section class="panel" aria-labelledby="code-title">
			<h2 id="code-title">The same call as code</h2>
			<Tabs label="Language" tabs={LANGUAGES} selected={language} onSelect={setLanguage}>
				{!isReady ? (
					<p class="muted">Fill in the form to see it.</p>
				) : language === "sdk" ? (
					<CodeBlock
						title="TypeScript, with the SDK"
						text={writeSdkCode(operation, content, connection)}
						language="typescript"
					/>
				) : (
					<CodeBlock
						title="bash, with curl and openssl"
						text={writeCurlCode(preparation, connection.appId, operation.isSigned)}
						language="bash"
					/>
				)}
			</Tabs>
		</section>
	);
}
