import { useConsole } from "../console-context.ts";
import { CopySource } from "../copy-source.tsx";

/** Copies the conversation as a vitest test. */
export function CopyAsTest({ conversationKey }: { conversationKey: string }) {
	const { client } = useConsole();
	return <CopySource label="Copy as test" of="The test" write={() => client.testOf(conversationKey)} />;
}
