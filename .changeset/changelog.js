/** One plain sentence for each change. The default puts the hash of a commit before it, which says nothing to users. */
export default {
	getReleaseLine: async ({ summary }) => `- ${summary.replaceAll("\n", "\n  ")}`,
	// There is one package here: nothing of ours depends on it.
	getDependencyReleaseLine: async () => "",
};
