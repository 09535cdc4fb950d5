import { useState } from "preact/hooks";
import { CodeBlock } from "../parts/code-block.tsx";
import { Tabs } from "../parts/tabs.tsx";
import type { Connection, Preparation } from "./call/prepare.ts";
import { writeCurlCode } from "./code/curl-code.ts";
import { writeSdkCode } from "./code/sdk-code.ts";
import type { Form } from "./field-input.tsx";

interface CodePanelProps {
	readonly form: Form;
	readonly preparation: Preparation | undefined;
	readonly connection: Connection;
}

const LANGUAGES = { typescript: "TypeScript", bash: "curl" } as const;

/** The call in the form as code to copy, without the secret. */
export function CodePanel({ form, preparation, connection }: CodePanelProps) {
	const [language, setLanguage] = useState<keyof typeof LANGUAGES>("typescript");
	const { content } = form.reading;
	const isReady = content !== undefined && preparation !== undefined && !("problem" in preparation);
	const isSdk = language === "typescript";
	return (
		<section class="panel" aria-labelledby="code-title">
			<h2 id="code-title">The same call as code</h2>
			<Tabs label="Language" tabs={LANGUAGES} selected={language} onSelect={setLanguage}>
				{isReady ? (
					<CodeBlock
						title={isSdk ? "TypeScript" : "bash"}
						about={isSdk ? "with the SDK" : "with curl and openssl"}
						text={
							isSdk
								? writeSdkCode(form.operation, content, connection)
								: writeCurlCode(preparation, connection.appId, form.operation.isSigned)
						}
						language={language}
					/>
				) : (
					<p class="muted">Fill in the form to see it.</p>
				)}
			</Tabs>
		</section>
	);
}
